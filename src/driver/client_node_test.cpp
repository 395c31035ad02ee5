#include "driver/client_node.h"

#include <gtest/gtest.h>

#include <array>

#include "driver/ports_for_test.h"
#include "stream/proxy/target.h"

namespace karst::driver {
namespace {

using namespace std::chrono_literals;
using stream::proxy::Target;

constexpr std::array<std::uint8_t, 32> kSecret{};

struct NoTrace final : TraceSink {
  void record(const TraceKind&, std::span<const TraceField>) override {}
};

// A client that never gets as far as a connection.
struct ClientNodeTest : testing::Test {
  std::unique_ptr<ClientNode> make(const Target& server) {
    ClientNodeConfig config{.servers = {server},
                            .connections = std::vector<stream::ClientConnectionConfig>(1),
                            .front = keys::FrontSecret::from_bytes(kSecret),
                            .words = [](const Error&) { return ErrorWords{"", ""}; }};
    auto node = std::make_unique<ClientNode>(
        std::move(config),
        keys::PskCredential{wire::PskGeneration::one, keys::ClientPsk::from_bytes(kSecret)}, ports,
        trace, Prng(1), [](const keys::ClientPsk&) { return true; });
    node->start();
    return node;
  }
  static Target address() { return *Target::make("192.0.2.1", 443); }
  static Target name() { return *Target::make("example.org", 443); }
  // Each question fails after so long.
  void fail_look_ups(Duration after, Duration time) {
    const TimePoint end = ports.now() + time;
    std::size_t answered = 0;
    while (ports.now() < end) {
      const std::size_t asked = ports.look_ups.size();
      ports.pass(answered < asked ? after : Duration(100ms));
      for (; answered < asked; ++answered) {
        const auto callback =
            std::make_shared<LookupCallback>(std::move(ports.look_ups[answered].callback));
        (*callback)(kNameServerFailed);
      }
    }
  }

  FakePorts ports;
  NoTrace trace;
};

TEST_F(ClientNodeTest, refusals_lengthen_the_wait) {
  const auto node = make(address());
  ports.pass(5min);
  EXPECT_LE(node->attempts(), 30u);
}

TEST_F(ClientNodeTest, without_a_network_it_tries_each_second_for_five_minutes) {
  for (const ErrorKind* kind : {&kNetUnreachable, &kHostUnreachable}) {
    ports.connect_error = *kind;
    const auto node = make(address());
    ports.pass(Backoff::kSilenceTime);
    EXPECT_GE(node->attempts(), 300u);
    ports.pass(10min);
    EXPECT_LE(node->attempts(), 700u) << "from then on the wait doubles";
  }
}

TEST_F(ClientNodeTest, a_name_server_that_does_not_answer_is_asked_again_and_again) {
  const auto node = make(name());
  fail_look_ups(6s, 5min);
  EXPECT_GE(node->attempts(), 45u);
}

TEST_F(ClientNodeTest, nor_does_one_that_fails_at_once_lengthen_the_wait) {
  const auto node = make(name());
  fail_look_ups(0s, 4min);
  EXPECT_GE(node->attempts(), 200u);
}

}  // namespace
}  // namespace karst::driver
