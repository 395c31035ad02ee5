#include "platform/linux/signal_watch.h"

#include <pthread.h>
#include <signal.h>

#include "platform/linux/test_support.h"

namespace karst::platform {
namespace {

using SignalWatchTest = LoopTest;

bool blocked(int signal) {
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return ::sigismember(&mask, signal) == 1;
}

TEST_F(SignalWatchTest, signals_come_as_calls_of_the_loop_and_not_as_deaths) {
  std::vector<int> seen;
  auto watch = std::move(*loop.on_signals({SIGTERM, SIGHUP}, [&](int s) { seen.push_back(s); }));
  ::raise(SIGTERM);
  ::raise(SIGHUP);
  EXPECT_TRUE(seen.empty());
  until([&] { return seen.size() == 2; });
  EXPECT_EQ(seen[0] + seen[1], SIGTERM + SIGHUP);
}

TEST_F(SignalWatchTest, destruction_restores_the_mask) {
  ASSERT_FALSE(blocked(SIGUSR1));
  auto watch = std::move(*loop.on_signals({SIGUSR1}, [](int) {}));
  EXPECT_TRUE(blocked(SIGUSR1));
  watch.reset();
  EXPECT_FALSE(blocked(SIGUSR1));
}

TEST_F(SignalWatchTest, a_callback_may_destroy_its_own_watch) {
  int count = 0;
  std::unique_ptr<SignalWatch> watch;
  watch = std::move(*loop.on_signals({SIGUSR1}, [&](int) {
    ++count;
    watch.reset();
  }));
  ::raise(SIGUSR1);
  until([&] { return watch == nullptr; });
  turns(3);
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace karst::platform
