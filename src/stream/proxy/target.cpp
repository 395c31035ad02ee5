#include "stream/proxy/target.h"

namespace karst::stream::proxy {

std::optional<Target> Target::make(std::string_view host, std::uint16_t port) {
  auto parsed = parse_host(host);
  if (!parsed || port == 0) return std::nullopt;
  return Target{*std::move(parsed), port};
}

std::optional<Target> Target::from_authority(std::string_view authority,
                                             std::uint16_t default_port) {
  // A colon within brackets belongs to the address; one outside comes before the port.
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != authority.npos && authority.find(']', colon) == authority.npos;
  if (!has_port) return make(authority, default_port);
  const std::string_view host = authority.substr(0, colon);
  // Without brackets nothing tells an IPv6 address from its port.
  if (host.find(':') != host.npos && host.front() != '[') return std::nullopt;
  return make(host, parse_port(authority.substr(colon + 1)).value_or(0));
}

std::string Target::text() const {
  if (const auto* address = std::get_if<IpAddress>(&host)) return Endpoint{*address, port}.text();
  return std::get<HostName>(host).text() + ":" + std::to_string(port);
}

}  // namespace karst::stream::proxy
