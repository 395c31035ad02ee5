#include "driver/open_codes.h"

#include <gtest/gtest.h>

namespace karst::driver {
namespace {

TEST(OpenCodes, every_result_keeps_its_meaning_on_the_wire_and_back) {
  for (std::size_t i = 0; i < stream::proxy::kOpenResults; ++i) {
    const auto result = static_cast<stream::proxy::OpenResult>(i);
    EXPECT_EQ(to_open_result(to_open_code(result)), result) << i;
  }
  EXPECT_EQ(to_open_code(stream::proxy::OpenResult::timed_out), wire::OpenCode::timed_out);
}

TEST(OpenCodes, a_name_that_could_hide_an_address_is_no_target) {
  EXPECT_FALSE(to_proxy_target({"127.1", 80}));
  EXPECT_FALSE(to_proxy_target({"0x7f000001", 80}));
  ASSERT_TRUE(to_proxy_target({"Example.org", 80}));
  EXPECT_EQ(to_wire_target(*to_proxy_target({"example.org", 80})),
            (wire::Target{"example.org", 80}));
}

}  // namespace
}  // namespace karst::driver
