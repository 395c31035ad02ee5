#include "platform/linux/tcp_listener.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "platform/linux/descriptor_reserve.h"
#include "platform/linux/test_support.h"

namespace karst::platform {
namespace {

class TcpListenerTest : public LoopTest {
 protected:
  TcpListenerTest() : listener(std::move(*loop.listen(loopback()))) {
    listener->set_handler(accepted);
  }
  // `count` clients whose connections the kernel has set up.
  void connect(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      auto& client = *clients.emplace_back(std::make_unique<Conversation>());
      client.use(std::move(*loop.connect(listener->local())));
    }
  }

  Accepted accepted;
  std::unique_ptr<driver::TcpListener> listener;
  std::vector<std::unique_ptr<Conversation>> clients;
};

TEST_F(TcpListenerTest, accepts_a_bounded_number_in_one_turn_and_the_rest_later) {
  connect(kAcceptsPerTurn + 10);
  turn();
  EXPECT_EQ(accepted.streams.size(), static_cast<std::size_t>(kAcceptsPerTurn));
  until([&] { return accepted.streams.size() == kAcceptsPerTurn + 10; });
}

TEST_F(TcpListenerTest, takes_a_port_at_all_addresses_of_each_family) {
  const UniqueFd ipv6(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!ipv6.valid()) GTEST_SKIP() << "this machine has no IPv6";
  const auto all_ipv4 = loop.listen(Endpoint{});
  ASSERT_TRUE(all_ipv4.ok());
  const Endpoint all_ipv6{*IpAddress::parse("::"), (*all_ipv4)->local().port};
  EXPECT_TRUE(loop.listen(all_ipv6).ok());
}

// Takes away all free descriptors but `left` while it lives.
class NoDescriptors {
 public:
  explicit NoDescriptors(rlim_t left = 0) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const UniqueFd next(::fcntl(0, F_DUPFD_CLOEXEC, 0));
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(next.get()) + left;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(TcpListenerTest, rests_without_spinning_while_descriptors_have_run_out) {
  connect(1);
  until([&] { return clients[0]->connected; });
  accepted.streams.clear();
  connect(1);
  const TimePoint began = monotonic_now();
  {
    const NoDescriptors nothing_left;
    turns(3);
    const auto turns_before = loop.stats().turns;
    while (monotonic_now() < began + 200ms) loop.run_turn(200ms);
    EXPECT_LE(loop.stats().turns - turns_before, 5u);
    EXPECT_TRUE(accepted.streams.empty());
  }
  until([&] { return accepted.streams.size() == 1; });
  EXPECT_GE(loop.now() - began, kAcceptPause);
}

// So that orders get in, and can be followed, whoever has used up the others.
TEST_F(TcpListenerTest, connections_and_sockets_leave_the_last_descriptors_free_and_say_so_once) {
  std::vector<UniqueFd> others;  // a low limit has a smaller reserve
  for (unsigned i = 0; i < 4 * kReservedDescriptors; ++i) {
    others.emplace_back(::fcntl(0, F_DUPFD_CLOEXEC, 0));
  }
  connect(1);
  const NoDescriptors but_the_reserve(kReservedDescriptors);
  until([&] { return accepted.rests == 1; });
  turns(3);
  EXPECT_EQ(accepted.rests, 1);
  EXPECT_TRUE(accepted.streams.empty());
  EXPECT_TRUE(loop.connect(listener->local()).error().is(driver::kTooManyFiles));
  EXPECT_TRUE(loop.open_udp(loopback()).error().is(driver::kTooManyFiles));
  EXPECT_TRUE(UniqueFd(::fcntl(0, F_DUPFD_CLOEXEC, 0)).valid());
}

TEST_F(TcpListenerTest, opening_without_free_descriptors_is_an_error_by_name) {
  const auto open_all = [this] {
    std::vector<Result<void>> results;
    const auto note = [&](const auto& opened) {
      results.push_back(opened.ok() ? Result<void>() : opened.error());
    };
    note(loop.connect(listener->local()));
    note(loop.listen(loopback()));
    note(loop.open_udp(loopback()));
    return results;
  };
  for (const auto& result : open_all()) EXPECT_TRUE(result.ok());
  const NoDescriptors nothing_left;
  for (const auto& result : open_all()) EXPECT_TRUE(result.error().is(driver::kTooManyFiles));
}

TEST_F(TcpListenerTest, an_address_in_use_or_not_ours_is_an_error_by_name) {
  EXPECT_TRUE(loop.listen(listener->local()).error().is(driver::kAddressInUse));
  const auto foreign = loop.listen({IpAddress::v4({192, 0, 2, 1}), 0});
  EXPECT_TRUE(foreign.error().is(driver::kAddressNotAvailable));
}

TEST_F(TcpListenerTest, a_port_can_be_taken_again_at_once_after_its_connections_closed) {
  connect(1);
  until([&] { return accepted.streams.size() == 1; });
  const Endpoint at = listener->local();
  accepted.streams.clear();
  until([&] { return clients[0]->ended; });
  clients.clear();
  listener.reset();
  EXPECT_TRUE(loop.listen(at).ok());
}

TEST_F(TcpListenerTest, a_callback_may_destroy_the_listener) {
  struct Once final : driver::TcpListener::Handler {
    void on_accept(std::unique_ptr<driver::TcpStream>) override {
      ++count;
      owner->reset();
    }
    std::unique_ptr<driver::TcpListener>* owner = nullptr;
    int count = 0;
  } once;
  once.owner = &listener;
  listener->set_handler(once);
  connect(3);
  until([&] { return listener == nullptr; });
  turns(3);
  EXPECT_EQ(once.count, 1);
}

}  // namespace
}  // namespace karst::platform
