#include "lab/own_faults.h"

#include <gtest/gtest.h>

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

TEST(OwnFaults, of_all_stretches_count) {
  LinkRunner::Report first;
  first.forward.overrun = 1;
  first.back.late_max = 7ms;
  LinkRunner::Report second;
  second.write_failures = 2;
  second.forward.late_max = 3ms;
  second.back.lost = 100;  // as it was asked for
  OwnFaults faults;
  faults.add(first);
  faults.add(second);
  faults.add({});
  EXPECT_EQ(faults.lost, 3u);
  EXPECT_EQ(faults.late_max, 7ms);
}

TEST(OwnFaults, lateness_is_allowed_by_the_length_of_the_path) {
  EXPECT_EQ(OwnFaults::late_allowed(60ms), 31ms);
  EXPECT_EQ(OwnFaults::late_allowed(210ms), 46ms);
}

}  // namespace
}  // namespace karst::lab
