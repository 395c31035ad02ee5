#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "platform/linux/socket_address.h"
#include "platform/linux/test_support.h"

// How a connection fails in networks that this machine does not have: each test makes its own
// network namespace, on a thread of its own.
namespace karst::platform {
namespace {

bool bring_loopback_up() {
  const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  if (::ioctl(fd.get(), SIOCGIFFLAGS, &request) != 0) return false;
  request.ifr_flags |= IFF_UP;
  return ::ioctl(fd.get(), SIOCSIFFLAGS, &request) == 0;
}

class ConnectFailure : public ::testing::Test {
 protected:
  // Runs `test` in an empty network; false when this process may not make one.
  template <class Test>
  static bool in_empty_network(Test test) {
    bool made = false;
    std::thread thread([&] {
      made = ::unshare(CLONE_NEWNET) == 0;
      if (made) test();
    });
    thread.join();
    return made;
  }
};

// Gives the body a loop and a way to wait on it.
struct Here : LoopTest {
  void TestBody() override {}
  using LoopTest::loop;
  using LoopTest::until;
};

TEST_F(ConnectFailure, a_network_without_a_route_is_unreachable_at_once) {
  const bool made = in_empty_network([] {
    Here here;
    EXPECT_TRUE(here.loop.connect(loopback(1)).error().is(driver::kNetUnreachable));
  });
  if (!made) GTEST_SKIP() << "making a network namespace needs root";
}

TEST_F(ConnectFailure, a_peer_that_never_answers_times_out) {
  const bool made = in_empty_network([] {
    ASSERT_TRUE(bring_loopback_up());
    // One repetition in place of six: the kernel gives up after 3 s.
    std::ofstream("/proc/sys/net/ipv4/tcp_syn_retries") << 1;
    Here here;
    // A listener whose queue of two is full ignores further attempts.
    const UniqueFd full(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress any = SocketAddress::from(loopback());
    ASSERT_EQ(::bind(full.get(), any.get(), any.length), 0);
    ASSERT_EQ(::listen(full.get(), 0), 0);
    Conversation first, second;
    first.use(std::move(*here.loop.connect(local_endpoint(full.get()))));
    here.until([&] { return first.connected; });
    second.use(std::move(*here.loop.connect(local_endpoint(full.get()))));
    here.until([&] { return second.results == 1; });
    ASSERT_TRUE(second.error);
    EXPECT_TRUE(second.error->is(driver::kTimedOut));
  });
  if (!made) GTEST_SKIP() << "making a network namespace needs root";
}

}  // namespace
}  // namespace karst::platform
