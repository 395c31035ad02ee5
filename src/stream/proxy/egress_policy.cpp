#include "stream/proxy/egress_policy.h"

#include <array>
#include <utility>

#include "base/check.h"
#include "base/cidr.h"

namespace karst::stream::proxy {
namespace {

struct BuiltIn {
  Cidr network;
  EgressVerdict verdict;
};

// The IANA special-purpose registries for IPv4 and IPv6 (RFC 6890) without what they call globally
// reachable, and what else is no destination on the public Internet.
const std::vector<BuiltIn>& built_in() {
  using enum EgressVerdict;
  static const std::vector<BuiltIn> kList = [] {
    constexpr std::pair<std::string_view, EgressVerdict> kText[] = {
        // Where clouds keep their machines' credentials, some within the ranges below.
        {"100.100.100.200/32", metadata},  // Alibaba Cloud
        {"168.63.129.16/32", metadata},    // Azure; the address itself is a public one
        {"169.254.169.254/32", metadata},
        {"192.0.0.192/32", metadata},     // Oracle Cloud
        {"fd00:ec2::254/128", metadata},  // Amazon
        {"fd20:ce::254/128", metadata},   // Google

        {"0.0.0.0/8", this_network},
        {"10.0.0.0/8", private_network},
        {"100.64.0.0/10", carrier_grade_nat},
        {"127.0.0.0/8", loopback},
        {"169.254.0.0/16", link_local},
        {"172.16.0.0/12", private_network},
        {"192.0.0.0/24", reserved},
        {"192.0.2.0/24", documentation},
        {"192.88.99.0/24", reserved},  // 6to4 relays
        {"192.168.0.0/16", private_network},
        {"198.18.0.0/15", benchmark},
        {"198.51.100.0/24", documentation},
        {"203.0.113.0/24", documentation},
        {"224.0.0.0/4", multicast},
        {"240.0.0.0/4", reserved},
        {"255.255.255.255/32", broadcast},
        // All that is not 2000::/3.
        {"::/3", reserved},
        {"4000::/2", reserved},
        {"8000::/1", reserved},
        {"::/96", embedded_v4},
        {"::/128", this_network},
        {"::1/128", loopback},
        {"::ffff:0:0/96", embedded_v4},
        {"::ffff:0:0:0/96", embedded_v4},
        {"64:ff9b::/96", embedded_v4},
        {"64:ff9b:1::/48", embedded_v4},
        {"2001::/23", reserved},
        {"2001::/32", embedded_v4},
        {"2001:2::/48", benchmark},
        {"2001:db8::/32", documentation},
        {"2002::/16", embedded_v4},
        {"3fff::/20", documentation},
        {"fc00::/7", unique_local},
        {"fe80::/10", link_local},
        {"fec0::/10", private_network},  // site-local, RFC 3879
        {"ff00::/8", multicast},
    };
    std::vector<BuiltIn> out;
    for (const auto& [text, verdict] : kText) {
      const auto network = Cidr::parse(text);
      CHECK(network.has_value());
      out.push_back({*network, verdict});
    }
    return out;
  }();
  return kList;
}

// The IPv4 addresses that a packet to `address` may be meant for or be carried by.
struct Embedded {
  std::array<IpAddress, 2> addresses;
  std::size_t count = 0;

  void add(Bytes four, std::uint8_t mask = 0) {
    std::array<std::uint8_t, 4> bytes;
    for (std::size_t i = 0; i < 4; ++i) bytes[i] = four[i] ^ mask;
    addresses[count++] = IpAddress::v4(bytes);
  }
};

Embedded embedded_in(const IpAddress& address) {
  static const Cidr kSixToFour = *Cidr::parse("2002::/16");
  static const Cidr kTeredo = *Cidr::parse("2001::/32");
  static const Cidr kLastFourBytes[] = {
      *Cidr::parse("::/96"),           *Cidr::parse("::ffff:0:0/96"),
      *Cidr::parse("::ffff:0:0:0/96"), *Cidr::parse("64:ff9b::/96"),
      *Cidr::parse("64:ff9b:1::/48"),  // RFC 8215; its networks use the layout of a /96
  };
  Embedded out;
  const Bytes bytes = address.bytes();
  static const Cidr kUnspecifiedAndLoopback = *Cidr::parse("::/127");
  // RFC 4291 section 2.5.5.1: the two are addresses of their own, in spite of their form.
  if (address.is_v4() || kUnspecifiedAndLoopback.contains(address)) return out;
  if (kSixToFour.contains(address)) out.add(bytes.subspan(2, 4));  // RFC 3056 section 2
  if (kTeredo.contains(address)) {                                 // RFC 4380 section 4
    out.add(bytes.subspan(4, 4));                                  // the server
    out.add(bytes.subspan(12, 4), 0xff);                           // the client, every bit inverted
  }
  for (const Cidr& network : kLastFourBytes) {
    if (network.contains(address)) out.add(bytes.subspan(12, 4));
  }
  return out;
}

}  // namespace

std::string_view text(EgressVerdict verdict) {
  switch (verdict) {
    case EgressVerdict::allowed:
      return "allowed";
    case EgressVerdict::this_network:
      return "unspecified address";
    case EgressVerdict::loopback:
      return "loopback";
    case EgressVerdict::link_local:
      return "link-local";
    case EgressVerdict::private_network:
      return "private network";
    case EgressVerdict::carrier_grade_nat:
      return "carrier-grade NAT";
    case EgressVerdict::unique_local:
      return "unique local";
    case EgressVerdict::multicast:
      return "multicast";
    case EgressVerdict::broadcast:
      return "broadcast";
    case EgressVerdict::metadata:
      return "cloud metadata";
    case EgressVerdict::documentation:
      return "documentation";
    case EgressVerdict::benchmark:
      return "benchmark";
    case EgressVerdict::reserved:
      return "reserved";
    case EgressVerdict::embedded_v4:
      return "IPv4 within IPv6";
    case EgressVerdict::own_address:
      return "own address";
    case EgressVerdict::denied:
      return "denied by rule";
  }
  return "";
}

EgressVerdict EgressPolicy::longest_match(const Endpoint& to) const {
  // At the same length the later kind decides.
  enum class Kind : std::uint8_t { none, built_in, allow, deny };
  std::pair<unsigned, Kind> best{0, Kind::none};
  EgressVerdict verdict = EgressVerdict::allowed;
  const auto consider = [&](unsigned bits, Kind kind, EgressVerdict says) {
    if (std::pair(bits, kind) <= best) return;
    best = {bits, kind};
    verdict = says;
  };

  for (const BuiltIn& entry : built_in()) {
    if (!entry.network.contains(to.address)) continue;
    consider(entry.network.bits(), Kind::built_in, entry.verdict);
  }
  for (const auto* all : {&own_addresses_, &public_addresses_}) {
    for (const IpAddress& own : *all) {
      if (own != to.address) continue;
      consider(to.address.is_v4() ? 32 : 128, Kind::built_in, EgressVerdict::own_address);
    }
  }
  for (const EgressRule& rule : rules_) {
    if (!rule.network.contains(to.address)) continue;
    if (to.port < rule.port_first || to.port > rule.port_last) continue;
    const bool allow = rule.action == EgressRule::Action::allow;
    consider(rule.network.bits(), allow ? Kind::allow : Kind::deny,
             allow ? EgressVerdict::allowed : EgressVerdict::denied);
  }
  return verdict;
}

EgressPolicy EgressPolicy::everything() {
  EgressPolicy policy;
  policy.everything_ = true;
  return policy;
}

EgressVerdict EgressPolicy::decide(const Endpoint& to) const {
  if (everything_) return EgressVerdict::allowed;
  EgressVerdict verdict = longest_match(to);
  const Embedded embedded = embedded_in(to.address);
  for (std::size_t i = 0; i < embedded.count && verdict == EgressVerdict::allowed; ++i) {
    verdict = longest_match({embedded.addresses[i], to.port});
  }
  return verdict;
}

}  // namespace karst::stream::proxy
