#include "base/check.h"
#include "stream/proxy/egress_policy.h"

// A rule that parses is a range of ports within a network, and opens nothing beside itself.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::proxy;
  const auto rule = EgressRule::parse(EgressRule::Action::allow, karst::as_text({data, size}));
  if (!rule) return 0;
  CHECK(rule->port_first >= 1 && rule->port_first <= rule->port_last);
  const std::string text = rule->network.text() + " " + std::to_string(rule->port_first) + "-" +
                           std::to_string(rule->port_last);
  CHECK(EgressRule::parse(EgressRule::Action::allow, text) == rule);

  const EgressPolicy policy({*rule}, {});
  const EgressPolicy none;
  for (const char* address : {"127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1"}) {
    for (const int number : {1, 443, 65535}) {
      const auto port = static_cast<std::uint16_t>(number);
      const karst::Endpoint to{*karst::IpAddress::parse(address), port};
      const bool covered =
          rule->network.contains(to.address) && port >= rule->port_first && port <= rule->port_last;
      CHECK(covered || policy.decide(to) == none.decide(to));
    }
  }
  return 0;
}
