#pragma once

#include <optional>
#include <string>

#include "app/control_request.h"
#include "app/failure.h"
#include "app/paths.h"

namespace karst::app {

// Asks the daemon of this directory. Nothing when none runs; a failure when one does not answer.
Outcome<std::optional<std::string>> ask_daemon(const Paths& paths, const ControlRequest& request);

}  // namespace karst::app
