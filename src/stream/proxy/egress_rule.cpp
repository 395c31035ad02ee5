#include "stream/proxy/egress_rule.h"

#include "base/ip.h"

namespace karst::stream::proxy {

std::optional<EgressRule> EgressRule::parse(Action action, std::string_view text) {
  const std::size_t space = text.find(' ');
  const auto network = Cidr::parse(text.substr(0, space));
  if (!network) return std::nullopt;
  EgressRule out{action, *network};
  if (space == text.npos) return out;
  const std::string_view ports = text.substr(space + 1);
  const std::size_t hyphen = ports.find('-');
  const auto first = parse_port(ports.substr(0, hyphen));
  const auto last = hyphen == ports.npos ? first : parse_port(ports.substr(hyphen + 1));
  if (!first || !last || *first > *last) return std::nullopt;
  out.port_first = *first;
  out.port_last = *last;
  return out;
}

}  // namespace karst::stream::proxy
