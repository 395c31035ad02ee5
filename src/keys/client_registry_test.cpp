#include "keys/client_registry.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/prng.h"

namespace karst::keys {
namespace {

using namespace std::chrono_literals;
constexpr UnixTime kWall{1'800'000'000};

struct Registry : testing::Test {
  SeededEntropy entropy{11};
  ClientRegistry registry;
  TimePoint now{50s};

  NodeId node(std::uint8_t fill) {
    NodeId id;
    id.bytes.fill(fill);
    return id;
  }
  SharedPsk psk() { return std::make_shared<const ClientPsk>(ClientPsk::random(entropy)); }
  Result<ChangeTicket> add(std::uint8_t fill, std::string_view name) {
    return registry.add_client(node(fill), name, ClientPsk::random(entropy), {});
  }
  Result<ChangeTicket> invite(const wire::InviteId& id, std::string_view name,
                              std::int64_t lifetime = 100) {
    return registry.add_invite(id, name, ClientPsk::random(entropy), {kWall.seconds + lifetime},
                               {});
  }
  Result<ChangeTicket> enrol(std::uint8_t fill, const wire::InviteId& id, UnixTime wall = kWall) {
    return registry.enrol(node(fill), id, psk(), wall);
  }
  // A link of the client is confirmed under the generation 1 that is in force.
  void use_generation_1(std::uint8_t fill) {
    registry.forget_generation_0(node(fill), registry.clients().at(node(fill)).generation_1);
  }
  bool write(WriteOutcome outcome = WriteOutcome::durable) {
    if (!registry.poll_write(now)) return false;
    registry.written(outcome, now);
    return true;
  }
  // The error of the next outcome, null if it is good.
  const ErrorKind* next_outcome() {
    const auto outcome = registry.poll_outcome();
    CHECK(outcome.has_value());
    return outcome->result() ? nullptr : &outcome->result().error().kind();
  }
  // One change with a disk that works.
  const ErrorKind* make(const Result<ChangeTicket>& ticket) {
    CHECK(ticket.ok());
    write();
    return next_outcome();
  }
  const ErrorKind* find(std::uint8_t fill, const wire::PskSelector& selector,
                        UnixTime wall = kWall) {
    const auto found = registry.find(node(fill), selector, wall);
    return found ? nullptr : &found.error().kind();
  }
};

TEST_F(Registry, a_change_counts_when_it_is_durable_and_not_before) {
  ASSERT_TRUE(add(1, "alice").ok());
  EXPECT_EQ(find(1, wire::PskGeneration::zero), &kClientUnknown);
  const auto text = registry.poll_write(now);
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(find(1, wire::PskGeneration::zero), &kClientUnknown);
  EXPECT_FALSE(registry.poll_outcome().has_value());
  registry.written(WriteOutcome::durable, now);
  EXPECT_EQ(find(1, wire::PskGeneration::zero), nullptr);
  EXPECT_EQ(next_outcome(), nullptr);
  EXPECT_EQ(registry.format().expose_text(), text->expose_text());
  EXPECT_FALSE(registry.poll_write(now).has_value());
}

TEST_F(Registry, a_failed_write_refuses_all_its_changes_and_none_later) {
  const ChangeTicket first = *add(1, "alice"), second = *add(2, "bob");
  ASSERT_TRUE(registry.poll_write(now).has_value());
  const ChangeTicket third = *add(3, "carol");  // waits for the next write
  registry.written(WriteOutcome::failed, now);
  for (const ChangeTicket ticket : {first, second}) {
    const auto outcome = registry.poll_outcome();
    EXPECT_EQ(outcome->ticket(), ticket);
    EXPECT_TRUE(outcome->result().error().is(kRegistryNotStored));
  }
  EXPECT_TRUE(registry.clients().empty());
  EXPECT_TRUE(write());
  EXPECT_EQ(registry.poll_outcome()->ticket(), third);
  EXPECT_EQ(registry.clients().size(), 1u);
}

TEST_F(Registry, one_write_is_outstanding_and_the_next_carries_what_came_meanwhile) {
  ASSERT_TRUE(add(1, "alice").ok());
  ASSERT_TRUE(registry.poll_write(now).has_value());
  ASSERT_TRUE(add(2, "bob").ok());
  ASSERT_TRUE(add(3, "carol").ok());
  EXPECT_FALSE(registry.poll_write(now).has_value());
  registry.written(WriteOutcome::durable, now);
  const auto text = registry.poll_write(now);
  registry.written(WriteOutcome::durable, now);
  EXPECT_EQ(ClientRegistry::parse(text->expose_text())->clients().size(), 3u);
  EXPECT_FALSE(registry.poll_write(now).has_value());
}

TEST_F(Registry, what_cannot_be_is_refused_without_a_write) {
  EXPECT_EQ(make(add(1, "alice")), nullptr);
  ASSERT_TRUE(add(1, "again").ok());
  EXPECT_FALSE(registry.poll_write(now).has_value());
  EXPECT_EQ(next_outcome(), &kClientExists);
}

TEST_F(Registry, each_wrong_change_has_its_name) {
  EXPECT_EQ(make(add(1, "alice")), nullptr);
  EXPECT_EQ(make(invite({1}, "bob")), nullptr);
  EXPECT_EQ(make(add(2, "alice")), &kNameTaken);
  EXPECT_EQ(make(add(2, "bob")), &kNameTaken) << "an open invite keeps its name";
  EXPECT_EQ(make(add(2, "b b")), &kNameInvalid);
  EXPECT_EQ(make(add(1, "other")), &kClientExists);
  EXPECT_EQ(make(invite({2}, "alice")), &kNameTaken);
  EXPECT_EQ(make(invite({2}, "")), &kNameInvalid);
  EXPECT_EQ(make(invite({1}, "carol")), &kInviteExists);
  EXPECT_EQ(make(registry.remove_client(node(9))), &kNoSuchClient);
  EXPECT_EQ(make(registry.set_limits(node(9), {})), &kNoSuchClient);
  EXPECT_EQ(make(registry.revoke(node(9))), &kNoSuchClient);
  EXPECT_EQ(make(registry.restore(node(9))), &kNoSuchClient);
  EXPECT_EQ(make(registry.remove_invite({9})), &kNoSuchInvite);
  EXPECT_EQ(make(enrol(3, {9})), &kInviteUnknown);
}

TEST_F(Registry, two_changes_that_exclude_each_other_do_not_both_succeed) {
  EXPECT_EQ(make(invite({1}, "bob")), nullptr);
  ASSERT_TRUE(enrol(1, {1}).ok());
  ASSERT_TRUE(enrol(2, {1}).ok());
  ASSERT_TRUE(registry.remove_invite({1}).ok());
  ASSERT_TRUE(enrol(3, {1}).ok());
  write();
  EXPECT_EQ(next_outcome(), nullptr);
  EXPECT_EQ(next_outcome(), &kInviteSpent);
  EXPECT_EQ(next_outcome(), nullptr);
  EXPECT_EQ(next_outcome(), &kInviteUnknown);
  EXPECT_EQ(registry.clients().size(), 1u);
}

TEST_F(Registry, an_invite_is_good_before_its_expiry_and_not_at_it) {
  EXPECT_EQ(make(invite({1}, "bob", 10)), nullptr);
  EXPECT_EQ(find(1, wire::InviteId{1}, {kWall.seconds + 9}), nullptr);
  EXPECT_EQ(find(1, wire::InviteId{1}, {kWall.seconds + 10}), &kInviteExpired);
  EXPECT_EQ(make(enrol(1, {1}, {kWall.seconds + 10})), &kInviteExpired);
  EXPECT_EQ(make(enrol(1, {1}, {kWall.seconds + 9})), nullptr);
}

TEST_F(Registry, revocation_works_at_once_even_if_the_disk_is_full) {
  EXPECT_EQ(make(add(1, "alice")), nullptr);
  ASSERT_TRUE(registry.revoke(node(1)).ok());
  EXPECT_EQ(find(1, wire::PskGeneration::zero), &kClientRevoked);
  EXPECT_TRUE(write(WriteOutcome::failed));
  EXPECT_EQ(next_outcome(), &kRegistryNotStored);
  EXPECT_EQ(find(1, wire::PskGeneration::zero), &kClientRevoked);

  // It is written again without being asked for, but not at once.
  EXPECT_EQ(registry.next_deadline(), now + kRegistryRetryDelay);
  now += kRegistryRetryDelay - 1ns;
  EXPECT_FALSE(registry.poll_write(now).has_value());
  now += 1ns;
  const auto text = registry.poll_write(now);
  ASSERT_TRUE(text.has_value());
  registry.written(WriteOutcome::durable, now);
  EXPECT_TRUE(ClientRegistry::parse(text->expose_text())->clients().at(node(1)).revoked);
  EXPECT_FALSE(registry.next_deadline().has_value());
}

TEST_F(Registry, a_revocation_during_a_write_is_in_neither_lost_nor_delayed) {
  EXPECT_EQ(make(add(1, "alice")), nullptr);
  ASSERT_TRUE(add(2, "bob").ok());
  ASSERT_TRUE(registry.poll_write(now).has_value());
  ASSERT_TRUE(registry.revoke(node(1)).ok());
  EXPECT_EQ(find(1, wire::PskGeneration::zero), &kClientRevoked);
  registry.written(WriteOutcome::durable, now);
  EXPECT_EQ(find(1, wire::PskGeneration::zero), &kClientRevoked);
  const auto text = registry.poll_write(now);
  ASSERT_TRUE(text.has_value());
  EXPECT_TRUE(ClientRegistry::parse(text->expose_text())->clients().at(node(1)).revoked);
}

TEST_F(Registry, a_revoked_client_can_be_restored_and_cannot_use_an_invite_meanwhile) {
  EXPECT_EQ(make(add(1, "alice")), nullptr);
  EXPECT_EQ(make(invite({1}, "bob")), nullptr);
  EXPECT_EQ(make(registry.revoke(node(1))), nullptr);
  EXPECT_EQ(find(1, wire::InviteId{1}), &kClientRevoked);
  EXPECT_EQ(make(enrol(1, {1})), &kClientRevoked);
  EXPECT_EQ(make(registry.restore(node(1))), nullptr);
  EXPECT_EQ(find(1, wire::PskGeneration::zero), nullptr);
}

TEST_F(Registry, generation_0_is_forgotten_at_once_and_for_good) {
  EXPECT_EQ(make(invite({1}, "bob")), nullptr);
  EXPECT_EQ(make(enrol(1, {1})), nullptr);
  EXPECT_EQ(find(1, wire::PskGeneration::zero), nullptr);
  use_generation_1(1);
  EXPECT_EQ(find(1, wire::PskGeneration::zero), &kPskGenerationUnknown);
  EXPECT_EQ(find(1, wire::InviteId{1}), &kInviteSpent);
  EXPECT_TRUE(write());
  use_generation_1(1);
  EXPECT_FALSE(registry.poll_write(now).has_value()) << "nothing is left to forget";
}

// The new PSK counts once it is on disk, but its client may never learn of it.
TEST_F(Registry, the_use_of_an_older_psk_leaves_the_way_back_to_an_enrolment_under_way) {
  EXPECT_EQ(make(invite({1}, "bob")), nullptr);
  EXPECT_EQ(make(enrol(1, {1})), nullptr);
  ASSERT_TRUE(enrol(1, {1}).ok());
  ASSERT_TRUE(registry.poll_write(now).has_value());
  use_generation_1(1);
  registry.written(WriteOutcome::durable, now);
  EXPECT_EQ(next_outcome(), nullptr);
  EXPECT_EQ(find(1, wire::InviteId{1}), nullptr) << "the client is locked out";
  write();
  EXPECT_EQ(find(1, wire::InviteId{1}), nullptr) << "the client is locked out by the next write";
  use_generation_1(1);
  EXPECT_EQ(find(1, wire::InviteId{1}), &kInviteSpent);
}

TEST_F(Registry, a_client_that_has_only_generation_0_keeps_it) {
  EXPECT_EQ(make(add(1, "alice")), nullptr);
  registry.forget_generation_0(node(1), psk());
  EXPECT_EQ(find(1, wire::PskGeneration::zero), nullptr);
  EXPECT_FALSE(registry.poll_write(now).has_value());
}

TEST_F(Registry, a_psk_that_was_placed_by_hand_is_generation_1) {
  RegistryState state;
  state.clients[node(1)] = {"alice", nullptr, psk(), {}, false};
  registry = *ClientRegistry::parse(format_registry(state).expose_text());
  EXPECT_EQ(find(1, wire::PskGeneration::one), nullptr);
  EXPECT_EQ(find(1, wire::PskGeneration::zero), &kPskGenerationUnknown);
  use_generation_1(1);
  EXPECT_FALSE(registry.poll_write(now).has_value());
}

TEST_F(Registry, an_enrolled_client_that_gets_a_new_invite_takes_its_name_and_psk) {
  EXPECT_EQ(make(add(1, "alice")), nullptr);
  EXPECT_EQ(make(invite({1}, "alice-2")), nullptr);
  const SharedPsk invited = registry.invites().at({1}).psk;
  EXPECT_EQ(make(enrol(1, {1})), nullptr);
  const ClientRecord& client = registry.clients().at(node(1));
  EXPECT_EQ(client.name, "alice-2");
  EXPECT_EQ(client.generation_0, invited);
  EXPECT_EQ(registry.find_client("alice"), std::nullopt);
  EXPECT_EQ(registry.find_client("alice-2"), node(1));
}

TEST_F(Registry, expired_invites_go_unless_their_client_may_need_them) {
  EXPECT_EQ(make(invite({1}, "unused", 10)), nullptr);
  EXPECT_EQ(make(invite({2}, "pending", 10)), nullptr);
  EXPECT_EQ(make(invite({3}, "done", 10)), nullptr);
  EXPECT_EQ(make(invite({4}, "later", 100)), nullptr);
  EXPECT_EQ(make(enrol(2, {2})), nullptr);
  EXPECT_EQ(make(enrol(3, {3})), nullptr);
  use_generation_1(3);
  EXPECT_EQ(make(registry.remove_expired_invites({kWall.seconds + 10})), nullptr);
  EXPECT_FALSE(registry.invites().contains({1}));
  EXPECT_TRUE(registry.invites().contains({2}));
  EXPECT_FALSE(registry.invites().contains({3}));
  EXPECT_TRUE(registry.invites().contains({4}));
}

TEST_F(Registry, limits_reach_the_next_handshake) {
  EXPECT_EQ(make(add(1, "alice")), nullptr);
  EXPECT_EQ(make(registry.set_limits(node(1), {3, 4'000})), nullptr);
  EXPECT_EQ(registry.find(node(1), wire::PskGeneration::zero, kWall)->limits,
            (wire::ClientLimits{3, 4'000}));
}

TEST_F(Registry, at_most_1024_changes_wait) {
  for (std::size_t i = 0; i < kRegistryChangesMax; ++i) {
    ASSERT_TRUE(registry.remove_client(node(1)).ok()) << i;
  }
  EXPECT_TRUE(registry.remove_client(node(1)).error().is(kRegistryBusy));
  EXPECT_FALSE(registry.poll_write(now).has_value());  // all are refused
  EXPECT_TRUE(registry.remove_client(node(1)).error().is(kRegistryBusy));
  ASSERT_TRUE(registry.poll_outcome().has_value());
  EXPECT_TRUE(registry.remove_client(node(1)).ok());
}

TEST_F(Registry, a_full_registry_takes_nobody_more) {
  RegistryState state;
  for (std::size_t i = 0; i < kClientsMax; ++i) {
    NodeId id;
    id.bytes[0] = static_cast<std::uint8_t>(i);
    id.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    state.clients[id] = {"c" + std::to_string(i), psk(), nullptr, {}, false};
    wire::InviteId invite{};
    copy_bytes(invite, Bytes(id.bytes).first(2));
    if (i > 0)
      state.invites[invite] = {"i" + std::to_string(i), psk(), {kWall.seconds + 9}, {}, {}};
  }
  registry = ClientRegistry(std::move(state));
  EXPECT_EQ(make(invite({0xff, 0xff}, "last")), nullptr);
  EXPECT_EQ(make(invite({0xff, 0xfe}, "more")), &kRegistryFull);
  EXPECT_EQ(make(add(0xff, "more")), &kRegistryFull);
  EXPECT_EQ(make(enrol(0xff, {0xff, 0xff})), &kRegistryFull);
  EXPECT_FALSE(registry.invites().at({0xff, 0xff}).spent_by.has_value());
}

}  // namespace
}  // namespace karst::keys
