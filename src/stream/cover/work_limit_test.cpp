#include "stream/cover/work_limit.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/prng.h"

namespace karst::stream::cover {
namespace {

class WorkLimitTest : public testing::Test {
 protected:
  using Ticket = WorkLimit::Ticket;

  Ticket& enter(std::uint64_t connection) {
    tickets_.push_back(std::make_unique<Ticket>(limit_, ConnectionKey{connection}));
    return *tickets_.back();
  }
  void leave(const Ticket& ticket) {
    std::erase_if(tickets_, [&](const auto& held) { return held.get() == &ticket; });
  }
  // Fills the process, four to a connection, from connection 1000 up.
  void fill_process() {
    for (std::size_t i = 0; i < kExchangesPerProcessMax; ++i) {
      ASSERT_TRUE(enter(1000 + i / kExchangesPerConnectionMax).has_turn());
    }
  }
  std::vector<std::uint64_t> ready() {
    std::vector<std::uint64_t> keys;
    while (const auto key = ready_.poll()) keys.push_back(static_cast<std::uint64_t>(*key));
    return keys;
  }

  ReadyConnections ready_;
  WorkLimit limit_{ready_};
  std::vector<std::unique_ptr<Ticket>> tickets_;
};

TEST_F(WorkLimitTest, a_connection_has_four_turns_and_the_fifth_waits_for_one_of_them) {
  std::vector<Ticket*> tickets;
  for (int i = 0; i < 5; ++i) tickets.push_back(&enter(1));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(tickets[i]->has_turn()) << i;
  EXPECT_FALSE(tickets[4]->has_turn());
  EXPECT_TRUE(ready().empty());

  leave(*tickets[2]);
  EXPECT_TRUE(tickets[4]->has_turn());
  EXPECT_EQ(ready(), std::vector<std::uint64_t>{1});
}

TEST_F(WorkLimitTest, the_process_has_thirty_two_turns_and_the_next_waits_for_one_of_them) {
  fill_process();
  Ticket& next = enter(1);
  EXPECT_FALSE(next.has_turn());
  leave(*tickets_.front());
  EXPECT_TRUE(next.has_turn());
  EXPECT_EQ(ready(), std::vector<std::uint64_t>{1});
}

TEST_F(WorkLimitTest, who_waits_only_for_its_own_connection_holds_nobody_up) {
  for (int i = 0; i < 5; ++i) enter(1);
  EXPECT_TRUE(enter(2).has_turn());
}

TEST_F(WorkLimitTest, connections_take_turns_when_the_process_is_full) {
  fill_process();
  Ticket& first_of_1 = enter(1);
  Ticket& second_of_1 = enter(1);
  Ticket& first_of_2 = enter(2);
  leave(*tickets_.front());
  leave(*tickets_.front());
  EXPECT_TRUE(first_of_1.has_turn());
  EXPECT_TRUE(first_of_2.has_turn());
  EXPECT_FALSE(second_of_1.has_turn());
  leave(*tickets_.front());
  EXPECT_TRUE(second_of_1.has_turn());
}

TEST_F(WorkLimitTest, giving_up_the_place_of_the_process_keeps_that_of_the_connection) {
  fill_process();
  Ticket& other = enter(1);
  Ticket& same = enter(1000);
  tickets_.front()->give_up_process_place();
  EXPECT_TRUE(other.has_turn());
  tickets_.front()->give_up_process_place();
  EXPECT_FALSE(same.has_turn());
  // The place of the process is free for the next one, but that one's connection is full.
  leave(other);
  EXPECT_FALSE(same.has_turn());
  leave(*tickets_.front());
  EXPECT_TRUE(same.has_turn());
}

TEST_F(WorkLimitTest, an_open_socket_counts_for_nothing) {
  for (int i = 0; i < 100; ++i) {
    Ticket& socket = enter(1);
    ASSERT_TRUE(socket.has_turn()) << i;
    socket.give_up_all();
    socket.give_up_all();
  }
  EXPECT_TRUE(enter(1).has_turn());
}

TEST_F(WorkLimitTest, who_goes_away_while_waiting_is_not_given_a_turn) {
  fill_process();
  Ticket& leaver = enter(1);
  Ticket& stayer = enter(2);
  leave(leaver);
  leave(*tickets_.front());
  EXPECT_TRUE(stayer.has_turn());
  EXPECT_EQ(ready(), std::vector<std::uint64_t>{2});
}

TEST_F(WorkLimitTest, nobody_is_left_behind_after_any_order_of_coming_and_going) {
  Prng prng(1);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t choice = prng.below(10);
    if (choice < 5 && tickets_.size() < 200) {
      enter(prng.below(20));
    } else if (!tickets_.empty()) {
      Ticket& ticket = *tickets_[prng.below(tickets_.size())];
      if (choice < 7) {
        ticket.give_up_process_place();
      } else if (choice == 7) {
        ticket.give_up_all();
      } else {
        leave(ticket);
      }
    }
  }
  // When all that have a turn leave, others get it, until none is left.
  while (!tickets_.empty()) {
    const std::size_t before = tickets_.size();
    std::vector<const Ticket*> with_turn;
    for (const auto& ticket : tickets_) {
      if (ticket->has_turn()) with_turn.push_back(ticket.get());
    }
    for (const Ticket* ticket : with_turn) leave(*ticket);
    ASSERT_LT(tickets_.size(), before);
  }
  // And the limits are as they were.
  fill_process();
  EXPECT_FALSE(enter(1).has_turn());
}

TEST(ReadyConnections, names_each_connection_once_in_order) {
  ReadyConnections ready;
  for (std::uint64_t key : {3u, 1u, 3u, 2u, 1u}) ready.push(ConnectionKey{key});
  EXPECT_EQ(ready.poll(), ConnectionKey{3});
  EXPECT_EQ(ready.poll(), ConnectionKey{1});
  EXPECT_EQ(ready.poll(), ConnectionKey{2});
  EXPECT_EQ(ready.poll(), std::nullopt);
  ready.push(ConnectionKey{3});
  EXPECT_EQ(ready.poll(), ConnectionKey{3});
}

}  // namespace
}  // namespace karst::stream::cover
