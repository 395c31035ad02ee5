#include "base/check.h"
#include "stream/proxy/egress_policy.h"

using namespace karst::stream::proxy;

// A rule that is accepted is a network and a range of ports, and speaks for these alone.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto rule = EgressRule::parse(EgressRule::Action::allow, karst::as_text({data, size}));
  if (!rule) return 0;
  CHECK(rule->port_first != 0 && rule->port_first <= rule->port_last);
  const std::string again = rule->network.text() + " " + std::to_string(rule->port_first) + "-" +
                            std::to_string(rule->port_last);
  CHECK(EgressRule::parse(EgressRule::Action::allow, again) == rule);

  EgressRule denies = *rule;
  denies.action = EgressRule::Action::deny;
  const EgressPolicy none, allowing({*rule}, {}), denying({denies}, {});
  for (const std::uint16_t port : {rule->port_first, rule->port_last}) {
    CHECK(denying.decide({rule->network.base(), port}) != EgressVerdict::allowed);
  }
  for (const char* address : {"127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1"}) {
    for (const std::uint16_t port : {std::uint16_t{1}, std::uint16_t{443}, std::uint16_t{65535}}) {
      const karst::Endpoint to{*karst::IpAddress::parse(address), port};
      const bool covered =
          rule->network.contains(to.address) && port >= rule->port_first && port <= rule->port_last;
      CHECK(covered || allowing.decide(to) == none.decide(to));
    }
  }
  return 0;
}
