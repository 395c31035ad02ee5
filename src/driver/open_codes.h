#pragma once

#include <optional>

#include "stream/proxy/open_result.h"
#include "stream/proxy/target.h"
#include "wire/open_result.h"
#include "wire/target.h"

// Between the proxy's values and those of the wire: the same meanings in the types of two layers.
namespace karst::driver {

// Nothing for names that no resolver should be asked for.
std::optional<stream::proxy::Target> to_proxy_target(const wire::Target& target);
wire::Target to_wire_target(const stream::proxy::Target& target);
wire::OpenCode to_open_code(stream::proxy::OpenResult result);
stream::proxy::OpenResult to_open_result(wire::OpenCode code);

}  // namespace karst::driver
