#include "stream/cover/http_date.h"

#include <gtest/gtest.h>

namespace karst::stream::cover {
namespace {

constexpr UnixTime kNow{1'796'055'187};  // in 2026

TEST(HttpDate, is_written_as_rfc_9110_shows_it) {
  EXPECT_EQ(http_date({784'111'777}), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date({0}), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date({951'782'400}), "Tue, 29 Feb 2000 00:00:00 GMT");
}

TEST(HttpDate, all_three_forms_of_rfc_9110_mean_the_same_time) {
  for (std::string_view text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                                "Sun Nov  6 08:49:37 1994"}) {
    const auto time = parse_http_date(text, kNow);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(time->seconds, 784'111'777) << text;
  }
}

TEST(HttpDate, every_day_of_sixty_years_survives_writing_and_reading) {
  for (std::int64_t day = 0; day < 60 * 366; ++day) {
    const UnixTime time{day * 86'400 + day % 86'400};
    EXPECT_EQ(parse_http_date(http_date(time), kNow), time);
  }
}

TEST(HttpDate, a_year_of_two_digits_is_at_most_fifty_years_ahead) {
  const auto year = [](std::string_view text) {
    return http_date(*parse_http_date(text, kNow)).substr(12, 4);
  };
  EXPECT_EQ(year("Monday, 01-Jan-76 00:00:00 GMT"), "2076");
  EXPECT_EQ(year("Monday, 01-Jan-77 00:00:00 GMT"), "1977");
}

TEST(HttpDate, what_is_not_a_date_is_refused) {
  for (std::string_view text :
       {"", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nix 1994 08:49:37 GMT",
        "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994"}) {
    EXPECT_FALSE(parse_http_date(text, kNow)) << text;
  }
}

}  // namespace
}  // namespace karst::stream::cover
