// Who may have how many streams: the server says so for all (M2) and for one client (OK).
#include <gtest/gtest.h>

#include "stream/connection_pair_for_test.h"

namespace karst::stream {
namespace {

struct Limits {
  std::uint32_t of_server;
  std::uint32_t of_client;
};

struct World {
  explicit World(const Limits& limits) {
    server.shared.link.handshake.limits.streams = limits.of_server;
    psk.emplace(server.add_client(client.identity.node_id(), {.streams = limits.of_client}));
    pair.emplace(server, client, server.front.current().duplicate(),
                 keys::PskCredential{wire::PskGeneration::zero, psk->duplicate()});
  }

  Result<mux::StreamId> open() {
    return pair->client.link()->mux().open({wire::Target{std::string("example.org"), 80}});
  }
  // How many streams the client opens before it may not.
  std::uint32_t open_all() {
    std::uint32_t count = 0;
    while (open().ok()) ++count;
    return count;
  }

  ServerForTest server;
  ClientForTest client{server};
  std::optional<keys::ClientPsk> psk;
  std::optional<ConnectionPair> pair;
};

TEST(StreamLimits, a_client_opens_as_many_as_the_server_says_to_all_and_to_it) {
  for (const auto& [limits, expected] :
       {std::pair{Limits{7, 0}, 7u}, std::pair{Limits{7, 3}, 3u}, std::pair{Limits{3, 7}, 3u}}) {
    World world(limits);
    world.pair->settle();
    ASSERT_EQ(world.pair->ups, 1);
    EXPECT_EQ(world.open_all(), expected);
    world.pair->settle();
    EXPECT_EQ(world.pair->server.http2()->tunnel()->link()->mux().status().streams, expected);
    EXPECT_FALSE(world.pair->client.error());
  }
}

TEST(StreamLimits, what_a_client_opens_before_it_knows_its_limit_is_refused_with_that_answer) {
  World world({10, 3});
  while (world.pair->client.link() == nullptr) {
    world.pair->send_all_to_server();
    world.pair->send_all_to_client();
  }
  ASSERT_EQ(world.open_all(), 10u);
  world.pair->settle();
  ASSERT_EQ(world.pair->ups, 1);
  std::uint32_t opened = 0;
  std::uint32_t refused = 0;
  auto& server = world.pair->server.http2()->tunnel()->link()->mux();
  while (const auto event = server.poll_event()) {
    opened += std::holds_alternative<mux::Opened>(*event) ? 1u : 0u;
  }
  auto& client = world.pair->client.link()->mux();
  while (const auto event = client.poll_event()) {
    const auto* answered = std::get_if<mux::Answered>(&*event);
    refused += answered != nullptr && answered->result.code == wire::OpenCode::limit ? 1u : 0u;
  }
  EXPECT_EQ(opened, 3u);
  EXPECT_EQ(refused, 7u);
  EXPECT_FALSE(world.open().ok());
  EXPECT_FALSE(world.pair->client.error());
}

}  // namespace
}  // namespace karst::stream
