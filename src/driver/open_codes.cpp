#include "driver/open_codes.h"

#include <string>

namespace karst::driver {

using namespace stream::proxy;

std::optional<Target> to_proxy_target(const wire::Target& target) {
  if (const auto* address = std::get_if<IpAddress>(&target.host)) {
    return Target{*address, target.port};
  }
  return Target::make(std::get<std::string>(target.host), target.port);
}

wire::Target to_wire_target(const Target& target) {
  if (const auto* address = std::get_if<IpAddress>(&target.host)) return {*address, target.port};
  return {std::get<HostName>(target.host).text(), target.port};
}

wire::OpenCode to_open_code(OpenResult result) {
  switch (result) {
    case OpenResult::ok:
      return wire::OpenCode::ok;
    case OpenResult::refused:
      return wire::OpenCode::refused;
    case OpenResult::network_unreachable:
      return wire::OpenCode::network_unreachable;
    case OpenResult::host_unreachable:
      return wire::OpenCode::host_unreachable;
    case OpenResult::timed_out:
      return wire::OpenCode::timed_out;
    case OpenResult::forbidden:
      return wire::OpenCode::forbidden;
    case OpenResult::name_not_found:
      return wire::OpenCode::name_not_found;
    case OpenResult::limit:
      return wire::OpenCode::limit;
    case OpenResult::internal:
      return wire::OpenCode::internal;
  }
  return wire::OpenCode::internal;
}

OpenResult to_open_result(wire::OpenCode code) {
  switch (code) {
    case wire::OpenCode::ok:
      return OpenResult::ok;
    case wire::OpenCode::refused:
      return OpenResult::refused;
    case wire::OpenCode::network_unreachable:
      return OpenResult::network_unreachable;
    case wire::OpenCode::host_unreachable:
      return OpenResult::host_unreachable;
    case wire::OpenCode::timed_out:
      return OpenResult::timed_out;
    case wire::OpenCode::forbidden:
      return OpenResult::forbidden;
    case wire::OpenCode::name_not_found:
      return OpenResult::name_not_found;
    case wire::OpenCode::limit:
      return OpenResult::limit;
    case wire::OpenCode::internal:
      return OpenResult::internal;
  }
  return OpenResult::internal;
}

}  // namespace karst::driver
