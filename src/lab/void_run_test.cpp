#include "lab/void_run.h"

#include <gtest/gtest.h>

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

TEST(VoidRun, one_in_which_the_emulator_kept_up_counts) {
  LinkRunner::Report wire;
  wire.forward.lost = 1000;
  wire.back.queue_dropped = 1000;
  wire.back.late_max = 30ms;
  EXPECT_EQ(void_reason({.rtt_ms = 60}, wire), std::nullopt);
}

TEST(VoidRun, one_in_which_the_emulator_lost_anything_itself_does_not) {
  LinkRunner::Report overrun;
  overrun.back.overrun = 1;
  EXPECT_EQ(void_reason({}, overrun), "the emulator itself lost 1 packets");
  LinkRunner::Report not_taken;
  not_taken.write_failures = 2;
  EXPECT_EQ(void_reason({}, not_taken), "the emulator itself lost 2 packets");
}

TEST(VoidRun, lateness_is_allowed_by_the_length_of_the_path) {
  LinkRunner::Report wire;
  wire.forward.late_max = 40ms;
  EXPECT_EQ(void_reason({.rtt_ms = 60}, wire),
            "the emulator gave a packet 40.0 ms too late, of 31.0 allowed");
  EXPECT_EQ(void_reason({.rtt_ms = 210}, wire), std::nullopt);
}

}  // namespace
}  // namespace karst::lab
