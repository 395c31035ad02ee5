#include "app/invites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.h"

using namespace karst;
using namespace karst::app;
using testing::HasSubstr;

namespace {

constexpr UnixTime kNow{1'700'000'000};

struct Server {
  SeededEntropy entropy{1};
  keys::FrontSecrets front{keys::FrontSecret::random(entropy), 1};
  keys::ClientRegistry registry;
  wire::TlsPin pin{7};

  Outcome<IssuedInvite> issue(const InviteRequest& request, UnixTime now = kNow) {
    return issue_invite(request, {wire::NodeId{}, pin, &front}, registry, now, entropy);
  }
  // The outcome of what waits to be written.
  bool write() {
    EXPECT_TRUE(registry.poll_write(TimePoint{}));
    registry.written(keys::WriteOutcome::durable, TimePoint{});
    const auto outcome = registry.poll_outcome();
    return outcome && outcome->result().ok();
  }
};

InviteRequest request(std::size_t addresses) {
  return {"alice", 3600, std::vector(addresses, wire::ServerAddress{"example.org", 443})};
}

TEST(Invites, the_text_carries_what_the_registry_holds) {
  Server server;
  const auto issued = server.issue(request(2));
  ASSERT_TRUE(issued);
  EXPECT_TRUE(server.write());
  const auto invite = wire::parse_invite(issued->uri.expose_text());
  ASSERT_TRUE(invite.ok());
  EXPECT_EQ(invite->addresses.size(), 2u);
  EXPECT_EQ(invite->tls_pin, server.pin);
  EXPECT_EQ(invite->expiry.seconds, kNow.seconds + 3600);
  EXPECT_TRUE(equal(invite->front_secret.expose(), server.front.current().expose()));
  ASSERT_TRUE(server.registry.invites().contains(invite->id));
  const auto& record = server.registry.invites().at(invite->id);
  EXPECT_EQ(record.name, "alice");
  EXPECT_TRUE(equal(record.psk->expose(), invite->psk.expose()));
}

TEST(Invites, one_lasts_seven_days_unless_the_operator_says_otherwise) {
  Server server;
  InviteRequest usual = request(1);
  usual.lifetime_seconds = InviteRequest{}.lifetime_seconds;
  EXPECT_EQ(wire::parse_invite(server.issue(usual)->uri.expose_text())->expiry.seconds,
            kNow.seconds + 7 * 24 * 3600);
}

TEST(Invites, two_invites_have_nothing_secret_in_common) {
  Server server;
  const auto first = wire::parse_invite(server.issue(request(1))->uri.expose_text());
  const auto second = wire::parse_invite(server.issue(request(1))->uri.expose_text());
  EXPECT_NE(first->id, second->id);
  EXPECT_FALSE(equal(first->psk.expose(), second->psk.expose()));
}

TEST(Invites, one_to_eight_addresses_and_otherwise_nothing_changes) {
  for (std::size_t count = 0; count <= 9; ++count) {
    Server server;
    const auto issued = server.issue(request(count));
    EXPECT_EQ(issued.has_value(), count >= 1 && count <= 8) << count;
    EXPECT_EQ(server.registry.settled(), !issued) << count;
  }
}

TEST(Invites, an_expiry_that_an_invite_cannot_carry_is_refused) {
  constexpr std::int64_t kLast = (1ll << 32) - 1;
  for (const auto& [now, good] :
       {std::pair(kLast - 3600, true), {kLast - 3599, false}, {-1l, false}}) {
    Server server;
    const auto issued = server.issue(request(1), {now});
    EXPECT_EQ(issued.has_value(), good) << now;
    if (!good) {
      EXPECT_THAT(issued.error().message, HasSubstr("clock"));
    }
  }
}

TEST(Invites, one_that_is_open_can_be_taken_back_by_its_name) {
  Server server;
  const auto issued = server.issue(request(1));
  ASSERT_TRUE(issued);
  ASSERT_TRUE(server.write());
  ASSERT_TRUE(revoke_name("alice", server.registry));
  EXPECT_TRUE(server.write());
  EXPECT_TRUE(server.registry.invites().empty());
  const auto again = revoke_name("alice", server.registry);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("no client or open invite named alice"));
}

TEST(Invites, one_that_has_expired_keeps_nobody_of_that_name_out) {
  Server server;
  ASSERT_TRUE(server.issue(request(1)));
  ASSERT_TRUE(server.write());
  const auto again = server.issue(request(1), UnixTime{kNow.seconds + 3600});
  ASSERT_TRUE(again);
  ASSERT_TRUE(server.registry.poll_write(TimePoint{}));
  server.registry.written(keys::WriteOutcome::durable, TimePoint{});
  while (const auto outcome = server.registry.poll_outcome()) {
    EXPECT_TRUE(outcome->result().ok());
  }
  EXPECT_EQ(server.registry.invites().size(), 1u);
}

}  // namespace
