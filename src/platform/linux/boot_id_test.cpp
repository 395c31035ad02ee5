#include "platform/linux/boot_id.h"

#include <gtest/gtest.h>

namespace karst::platform {
namespace {

TEST(BootId, is_the_same_for_the_whole_run_of_the_machine_and_a_random_uuid) {
  const auto id = read_boot_id();
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(*id, *read_boot_id());
  EXPECT_EQ((*id)[6] >> 4, 4) << "RFC 9562 section 5.4: version 4";
}

}  // namespace
}  // namespace karst::platform
