#include "driver/link_look_ups.h"

#include <gtest/gtest.h>

#include "driver/ports_for_test.h"

namespace karst::driver {
namespace {

struct LinkLookUpsTest : testing::Test {
  std::unique_ptr<Lookup> ask(LinkLookUps& of, std::string name) {
    return of.look_up(name, AddressFamily::v4, [this, name](const Result<std::vector<IpAddress>>&) {
      answered.push_back(name);
    });
  }
  void ask_many(LinkLookUps& of, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) held.push_back(ask(of, "name" + std::to_string(i)));
  }
  void answer(std::size_t index) {
    auto callback = std::move(ports.look_ups[index].callback);
    callback(std::vector<IpAddress>{});
  }

  FakePorts ports;
  LinkLookUps::Totals of_all;
  LinkLookUps link{ports, of_all};
  std::vector<std::string> answered;
  std::vector<std::unique_ptr<Lookup>> held;
};

TEST_F(LinkLookUpsTest, so_many_run_and_the_rest_waits_in_order) {
  ask_many(link, LinkLookUps::kOfLink + 2);
  EXPECT_EQ(ports.look_ups.size(), LinkLookUps::kOfLink);
  EXPECT_EQ(link.waiting(), 2u);
  answer(5);
  ASSERT_EQ(ports.look_ups.size(), LinkLookUps::kOfLink + 1);
  EXPECT_EQ(ports.look_ups.back().name, "name" + std::to_string(LinkLookUps::kOfLink));
  EXPECT_EQ(answered, std::vector<std::string>{"name5"});
  EXPECT_EQ(of_all.running(), LinkLookUps::kOfLink);
}

TEST_F(LinkLookUpsTest, one_that_is_no_longer_wanted_counts_until_it_has_ended) {
  ask_many(link, LinkLookUps::kOfLink + 1);
  held.erase(held.begin());
  EXPECT_EQ(ports.look_ups.size(), LinkLookUps::kOfLink) << "giving up must not make room";
  answer(0);
  EXPECT_EQ(ports.look_ups.size(), LinkLookUps::kOfLink + 1);
  EXPECT_TRUE(answered.empty());
}

TEST_F(LinkLookUpsTest, one_that_is_given_up_while_it_waits_is_never_asked) {
  ask_many(link, LinkLookUps::kOfLink + 1);
  held.pop_back();
  answer(0);
  EXPECT_EQ(ports.look_ups.size(), LinkLookUps::kOfLink);
  EXPECT_EQ(link.waiting(), 0u);
}

TEST_F(LinkLookUpsTest, links_leave_some_to_each_other_and_each_has_one) {
  std::vector<std::unique_ptr<LinkLookUps>> links;
  for (int i = 0; i < 600; ++i) {
    links.push_back(std::make_unique<LinkLookUps>(ports, of_all));
    ask_many(*links.back(), LinkLookUps::kOfLink + 1);
    ASSERT_GE(links.back()->running(), 1u);
  }
  EXPECT_EQ(links.front()->running(), LinkLookUps::kOfLink);
  EXPECT_LE(of_all.running(), LinkLookUps::kOfAll + links.size());
  held.clear();
}

TEST_F(LinkLookUpsTest, those_of_links_that_have_ended_count_until_they_are_answered) {
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    LinkLookUps short_lived(ports, of_all);
    ask_many(short_lived, LinkLookUps::kOfLink);
    most = std::max(most, short_lived.running());
    held.clear();
  }
  EXPECT_EQ(most, LinkLookUps::kOfLink);
  EXPECT_LE(of_all.running(), LinkLookUps::kOfAll + 100);
  EXPECT_EQ(of_all.running(), ports.look_ups.size());
  for (std::size_t i = 0; i < ports.look_ups.size(); ++i) answer(i);
  EXPECT_EQ(of_all.running(), 0u);
  EXPECT_TRUE(answered.empty());
  ask_many(link, LinkLookUps::kOfLink + 1);
  EXPECT_EQ(link.running(), LinkLookUps::kOfLink) << "there is room again";
}

TEST_F(LinkLookUpsTest, an_answer_may_destroy_everything) {
  auto own = std::make_unique<LinkLookUps>(ports, of_all);
  std::unique_ptr<Lookup> lookup;
  lookup = own->look_up("x", AddressFamily::v6, [&](const Result<std::vector<IpAddress>>&) {
    lookup.reset();
    own.reset();
  });
  answer(0);
  EXPECT_EQ(own, nullptr);
  EXPECT_EQ(of_all.running(), 0u);
}

}  // namespace
}  // namespace karst::driver
