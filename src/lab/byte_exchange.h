#pragma once

#include "base/result.h"
#include "lab/lab_network.h"
#include "lab/tunnel.h"

namespace karst::lab {

// One byte each way over a new connection by `route`, within 5 s.
Result<void> exchange_byte(const LabNetwork& network, const Route& route);

}  // namespace karst::lab
