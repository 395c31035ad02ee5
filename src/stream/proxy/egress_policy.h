#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ip.h"
#include "stream/proxy/egress_rule.h"

namespace karst::stream::proxy {

enum class EgressVerdict : std::uint8_t {
  allowed,
  this_network,  // unspecified, and the rest of 0.0.0.0/8
  loopback,
  link_local,
  private_network,
  carrier_grade_nat,
  unique_local,
  multicast,
  broadcast,
  metadata,  // where clouds hand credentials to their machines
  documentation,
  benchmark,
  reserved,     // by IANA, or outside the unicast space in use
  embedded_v4,  // IPv4 within IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo
  own_address,
  denied,  // by a rule of the configuration
};
// One or two words for the log.
std::string_view text(EgressVerdict verdict);

// Decides for one client whether the server may send to a resolved address on its behalf. Asked
// for every address, after resolution and before the attempt: a name proves nothing.
//
// Refused without any rule: what is not the public Internet, and the server's own addresses. Of
// all networks that contain the address (and rules whose ports contain the port) the one with the
// longest prefix decides; at the same length a deny rule comes before an allow rule, and a rule
// before the built-in list. So "allow 0.0.0.0/0" opens nothing that is closed by default, "allow
// 10.0.0.0/8" opens exactly that, and "deny 0.0.0.0/0" leaves only what other rules allow. An own
// address counts as a network of its own and needs a rule that names it alone.
//
// An IPv6 address in which an IPv4 address is embedded is allowed only if a rule allows it and the
// embedded address is allowed too.
//
// A value; decide() is a pure function of it. Time is linear in the rules.
class EgressPolicy {
 public:
  EgressPolicy() = default;
  // `own_addresses` are those of the machine's interfaces now, `public_addresses` those under which
  // others reach it, which an address translator may stand in front of: both are its own.
  EgressPolicy(std::vector<EgressRule> rules, std::vector<IpAddress> own_addresses,
               std::vector<IpAddress> public_addresses = {})
      : rules_(std::move(rules)),
        own_addresses_(std::move(own_addresses)),
        public_addresses_(std::move(public_addresses)) {}

  // Allows every address: for connections that are the machine's own business.
  static EgressPolicy everything();

  // Public addresses stay.
  void set_own_addresses(std::vector<IpAddress> own) { own_addresses_ = std::move(own); }

  EgressVerdict decide(const Endpoint& to) const;

 private:
  EgressVerdict longest_match(const Endpoint& to) const;

  std::vector<EgressRule> rules_;
  std::vector<IpAddress> own_addresses_;
  std::vector<IpAddress> public_addresses_;
  bool everything_ = false;
};

}  // namespace karst::stream::proxy
