#include "platform/linux/resolver.h"

#include <fstream>

#include "platform/linux/dns_server_for_test.h"

namespace karst::platform {
namespace {

using driver::AddressFamily;

// A look-up and what came of it.
struct Asked {
  driver::LookupCallback callback() {
    return [this](Result<std::vector<IpAddress>> got) {
      ++calls;
      result = std::move(got);
    };
  }
  bool failed_with(const ErrorKind& kind) const {
    return !result->ok() && result->error().is(kind);
  }
  std::vector<std::string> texts() const {
    std::vector<std::string> out;
    for (const IpAddress& address : **result) out.push_back(address.text());
    return out;
  }
  std::unique_ptr<driver::Lookup> lookup;
  std::optional<Result<std::vector<IpAddress>>> result;
  int calls = 0;
};

class ResolverTest : public LoopTest {
 protected:
  ResolverTest() : server(loop) {
    hosts = testing::TempDir() + "hosts_" + std::to_string(::getpid());
    resolv_conf = testing::TempDir() + "resolv_" + std::to_string(::getpid());
    std::ofstream(hosts) << "198.51.100.7 printer\n2001:db8::7 printer\n";
    options = {.servers = server.address(),
               .resolv_conf = resolv_conf,
               .hosts_file = hosts,
               .try_time = 100ms,
               .tries = 2};
  }
  ~ResolverTest() override {
    ::unlink(hosts.c_str());
    ::unlink(resolv_conf.c_str());
  }
  void begin() { resolver.emplace(loop.reactor(), options); }
  void ask(Asked& asked, std::string_view name, AddressFamily family = AddressFamily::v4) {
    if (!resolver) begin();
    asked.lookup = resolver->look_up(name, family, asked.callback());
    EXPECT_EQ(asked.calls, 0) << "a callback came from inside the call";
  }
  // Asks and waits.
  Asked found(std::string_view name, AddressFamily family = AddressFamily::v4) {
    Asked asked;
    ask(asked, name, family);
    until([&] { return asked.result.has_value(); });
    asked.lookup.reset();
    return asked;
  }

  std::string hosts, resolv_conf;
  DnsServerForTest server;
  ResolverOptions options;
  std::optional<Resolver> resolver;
};

TEST_F(ResolverTest, answers_with_all_addresses_of_the_family_that_was_asked_for) {
  server.add("www.example", "192.0.2.1");
  server.add("www.example", "192.0.2.2");
  server.add("www.example", "2001:db8::1");
  EXPECT_THAT(found("www.example").texts(),
              testing::UnorderedElementsAre("192.0.2.1", "192.0.2.2"));
  EXPECT_EQ(found("www.example", AddressFamily::v6).texts(),
            std::vector<std::string>{"2001:db8::1"});
}

// What is remembered would be bounded by nothing but the time to live that a name's owner sets.
TEST_F(ResolverTest, asks_anew_for_each_look_up) {
  server.add("www.example", "192.0.2.1");
  server.keep_seconds = 86'400;
  found("www.example");
  found("www.example");
  EXPECT_EQ(server.questions.size(), 2u);
}

TEST_F(ResolverTest, a_name_without_addresses_of_the_family_is_an_empty_list) {
  server.add("four.example", "192.0.2.1");
  EXPECT_TRUE(found("four.example", AddressFamily::v6).result->ok());
  EXPECT_TRUE(found("four.example", AddressFamily::v6).texts().empty());
}

TEST_F(ResolverTest, a_mapped_address_stays_ipv6_for_the_egress_policy_to_see) {
  server.add("sly.example", "::ffff:127.0.0.1");
  const auto texts = found("sly.example", AddressFamily::v6).texts();
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_EQ(texts[0], "::ffff:127.0.0.1");
}

TEST_F(ResolverTest, a_name_that_does_not_exist_says_so) {
  EXPECT_TRUE(found("nowhere.example").failed_with(driver::kNameNotFound));
}

TEST_F(ResolverTest, a_name_that_cannot_exist_is_not_asked_for) {
  const std::string label(63, 'a');
  const std::string longest = label + '.' + label + '.' + label + '.' + label.substr(0, 61);
  for (const std::string& name :
       {std::string(), std::string("www.example\0.evil", 17), longest + "ab", "a" + label + ".b",
        std::string("a..b"), std::string(10000, 'x')}) {
    EXPECT_TRUE(found(name).failed_with(driver::kNameNotFound)) << name;
  }
  EXPECT_TRUE(server.questions.empty());
  server.add(longest, "192.0.2.1");
  EXPECT_EQ(longest.size(), 253u);
  EXPECT_EQ(found(longest).texts().size(), 1u);
}

TEST_F(ResolverTest, literal_addresses_need_no_server) {
  EXPECT_EQ(found("192.0.2.9").texts(), std::vector<std::string>{"192.0.2.9"});
  EXPECT_EQ(found("2001:db8::9", AddressFamily::v6).texts(),
            std::vector<std::string>{"2001:db8::9"});
  EXPECT_TRUE(found("192.0.2.9", AddressFamily::v6).texts().empty());
  EXPECT_TRUE(server.questions.empty());
}

TEST_F(ResolverTest, the_hosts_file_comes_before_the_servers) {
  EXPECT_EQ(found("printer").texts(), std::vector<std::string>{"198.51.100.7"});
  EXPECT_EQ(found("printer", AddressFamily::v6).texts(), std::vector<std::string>{"2001:db8::7"});
  EXPECT_TRUE(server.questions.empty());
}

TEST_F(ResolverTest, a_broken_server_is_not_a_missing_name) {
  server.mood = DnsServerForTest::Mood::server_failure;
  EXPECT_TRUE(found("www.example").failed_with(driver::kNameServerFailed));
}

TEST_F(ResolverTest, a_silent_server_is_asked_again_and_then_given_up) {
  server.mood = DnsServerForTest::Mood::silent;
  EXPECT_TRUE(found("www.example").failed_with(driver::kNameServerFailed));
  EXPECT_EQ(server.questions.size(), 2u);
  EXPECT_LT(loop.stats().turns, 50u) << "waiting for an answer is no work";
}

TEST_F(ResolverTest, the_whole_time_bounds_a_look_up_whatever_the_tries) {
  server.mood = DnsServerForTest::Mood::silent;
  options.try_time = 60s;
  options.whole_time = 50ms;
  const TimePoint began = monotonic_now();
  EXPECT_TRUE(found("www.example").failed_with(driver::kNameServerFailed));
  EXPECT_LT(monotonic_now() - began, 10s);
}

TEST_F(ResolverTest, an_answer_too_long_for_a_datagram_comes_over_tcp) {
  server.mood = DnsServerForTest::Mood::truncated;
  server.add("long.example", "192.0.2.1");
  EXPECT_EQ(found("long.example").texts().size(), 1u);
  EXPECT_EQ(server.over_tcp, 1);
}

TEST_F(ResolverTest, a_destroyed_look_up_is_never_answered) {
  server.add("www.example", "192.0.2.1");
  Asked dropped, early, kept;
  ask(dropped, "www.example");
  ask(kept, "www.example");
  ask(early, "192.0.2.9");
  dropped.lookup.reset();
  early.lookup.reset();
  until([&] { return kept.result.has_value(); });
  turns(3);
  EXPECT_EQ(dropped.calls + early.calls, 0);
  EXPECT_EQ(kept.calls, 1);
}

TEST_F(ResolverTest, a_callback_may_destroy_its_look_up_and_begin_another) {
  server.add("www.example", "192.0.2.1");
  begin();
  Asked second;
  std::unique_ptr<driver::Lookup> first;
  first = resolver->look_up("www.example", AddressFamily::v4, [&](const auto&) {
    first.reset();
    ask(second, "www.example");
  });
  until([&] { return second.result.has_value(); });
  EXPECT_EQ(second.texts().size(), 1u);
}

TEST_F(ResolverTest, look_ups_that_are_dropped_count_until_their_questions_end) {
  server.mood = DnsServerForTest::Mood::silent;
  begin();
  for (std::size_t i = 0; i < Resolver::kLookUpsMax - 1; ++i) {
    Asked dropped;
    ask(dropped, std::to_string(i) + ".example");
  }
  Asked last, beyond;
  ask(last, "last.example");
  ask(beyond, "beyond.example");
  turn();
  EXPECT_TRUE(beyond.failed_with(driver::kNameServerFailed));
  EXPECT_FALSE(last.result.has_value());
  until([&] { return last.result.has_value(); });
  server.mood = DnsServerForTest::Mood::answer;
  server.add("www.example", "192.0.2.1");
  EXPECT_EQ(found("www.example").texts().size(), 1u);
}

TEST_F(ResolverTest, a_changed_resolv_conf_counts_from_the_next_look_up_on) {
  DnsServerForTest other(loop);
  server.add("www.example", "192.0.2.1");
  other.add("www.example", "192.0.2.2");
  options.servers.clear();
  std::ofstream(resolv_conf) << "nameserver " << server.address() << "\n";
  EXPECT_EQ(found("www.example").texts(), std::vector<std::string>{"192.0.2.1"});
  Asked waiting;
  server.mood = DnsServerForTest::Mood::silent;
  ask(waiting, "waiting.example");
  ::unlink(resolv_conf.c_str());
  std::ofstream(resolv_conf) << "nameserver " << other.address() << "\n";
  EXPECT_EQ(found("www.example").texts(), std::vector<std::string>{"192.0.2.2"});
  EXPECT_EQ(waiting.calls, 0);
  until([&] { return waiting.result.has_value(); });
  EXPECT_TRUE(waiting.failed_with(driver::kNameServerFailed));
}

TEST_F(ResolverTest, ends_cleanly_with_questions_under_way) {
  server.mood = DnsServerForTest::Mood::silent;
  Asked asked;
  ask(asked, "www.example");
  turns(2);
  asked.lookup.reset();
  resolver.reset();
  turns(2);
  EXPECT_EQ(asked.calls, 0);
}

}  // namespace
}  // namespace karst::platform
