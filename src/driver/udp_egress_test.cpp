#include "driver/udp_egress.h"

#include <gtest/gtest.h>

#include "driver/ports_for_test.h"
#include "stream/mux/test_pair.h"

namespace karst::driver {
namespace {

struct UdpEgressTest : testing::Test {
  // The server's end of an association that the client has just opened.
  std::unique_ptr<UdpEgress> associate() {
    const StreamId stream = *link.client.open({});
    link.settle();
    auto egress =
        std::make_unique<UdpEgress>(streams, stream, policy, waiting, look_ups, ports, [] {});
    egress->start();
    link.settle();
    opened = stream;
    return egress;
  }
  void send_to_name(const std::string& name) {
    const wire::Datagram datagram{wire::Target{name, 53}, as_bytes("question")};
    ASSERT_TRUE(link.client.send_datagram(opened, datagram, link.now).ok());
    link.settle();
    streams.dispatch();
  }

  FakePorts ports;
  stream::mux::Pair link;
  LinkStreams streams{link.server, ports, [] {}};
  stream::proxy::EgressPolicy policy;
  std::size_t waiting_bytes = 0;
  UdpWaiting waiting{waiting_bytes, link.budget};
  LinkLookUps::Totals all;
  LinkLookUps look_ups{ports, all};
  StreamId opened{};
};

TEST_F(UdpEgressTest, questions_of_associations_that_have_ended_count_until_they_are_answered) {
  std::size_t asked = 0;
  for (int association = 0; association < 20; ++association) {
    const auto egress = associate();
    for (int i = 0; i < 16; ++i) send_to_name("name" + std::to_string(asked++) + ".example");
  }
  EXPECT_GT(asked, LinkLookUps::kOfLink);
  EXPECT_EQ(ports.look_ups.size(), LinkLookUps::kOfLink);
  EXPECT_EQ(all.running(), LinkLookUps::kOfLink);
  EXPECT_EQ(waiting_bytes, 0u);
}

}  // namespace
}  // namespace karst::driver
