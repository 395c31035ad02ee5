#include "app/server_address.h"

#include "stream/proxy/target.h"

namespace karst::app {

std::optional<wire::ServerAddress> parse_server_address(std::string_view text) {
  const auto target = stream::proxy::Target::from_authority(text);
  if (!target) return std::nullopt;
  if (const auto* name = std::get_if<stream::proxy::HostName>(&target->host)) {
    // An invite has no room for names that only some resolvers accept.
    if (!wire::valid_host(name->text())) return std::nullopt;
    return wire::ServerAddress{name->text(), target->port};
  }
  return wire::ServerAddress{std::get<IpAddress>(target->host).text(), target->port};
}

std::string format_server_address(const wire::ServerAddress& address) {
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

}  // namespace karst::app
