#include "platform/linux/held_signals.h"

#include <gtest/gtest.h>

using karst::platform::HeldSignals;

namespace {

volatile sig_atomic_t delivered = 0;

class HeldSignalsTest : public ::testing::Test {
 protected:
  HeldSignalsTest() {
    delivered = 0;
    ::signal(SIGUSR1, [](int) { delivered = delivered + 1; });
  }
  ~HeldSignalsTest() override { ::signal(SIGUSR1, SIG_DFL); }
};

TEST_F(HeldSignalsTest, one_that_comes_waits_until_the_end) {
  {
    HeldSignals held({SIGUSR1, SIGUSR2});
    ::raise(SIGUSR1);
    EXPECT_EQ(delivered, 0);
  }
  EXPECT_EQ(delivered, 1);
}

TEST_F(HeldSignalsTest, one_that_is_taken_has_no_other_effect) {
  {
    HeldSignals held({SIGUSR1, SIGUSR2});
    EXPECT_EQ(held.take(), std::nullopt);
    ::raise(SIGUSR1);
    EXPECT_EQ(held.take(), SIGUSR1);
    EXPECT_EQ(held.take(), std::nullopt);
  }
  EXPECT_EQ(delivered, 0);
}

TEST_F(HeldSignalsTest, one_that_is_ignored_never_comes) {
  EXPECT_FALSE(karst::platform::is_ignored(SIGUSR1));
  ::signal(SIGUSR1, SIG_IGN);
  EXPECT_TRUE(karst::platform::is_ignored(SIGUSR1));
  HeldSignals held({SIGUSR1});
  ::raise(SIGUSR1);
  EXPECT_EQ(held.take(), std::nullopt);
}

}  // namespace
