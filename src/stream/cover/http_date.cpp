#include "stream/cover/http_date.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace karst::stream::cover {
namespace {

namespace cal = std::chrono;

constexpr std::array<std::string_view, 7> kDays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Takes a date apart from the left. Whatever does not fit makes it fail for good.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  bool literal(std::string_view expected) {
    if (!rest_.starts_with(expected)) return ok_ = false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  bool has(std::string_view expected) const { return rest_.starts_with(expected); }

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
        ok_ = false;
        return 0;
      }
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }

  unsigned month() {
    for (unsigned i = 0; i < kMonths.size(); ++i) {
      if (has(kMonths[i])) {
        rest_.remove_prefix(3);
        return i + 1;
      }
    }
    ok_ = false;
    return 1;
  }

  // The name of a day, in full or its first three letters; returns whether it was in full.
  bool day_name() {
    for (std::string_view day : kDays) {
      const bool full = has(day);
      if (!full && !has(day.substr(0, 3))) continue;
      rest_.remove_prefix(full ? day.size() : 3);
      return full;
    }
    return ok_ = false;
  }

  cal::seconds time_of_day() {
    const int hour = number(2);
    literal(":");
    const int minute = number(2);
    literal(":");
    const int second = number(2);
    if (hour > 23 || minute > 59 || second > 60) ok_ = false;
    return cal::hours(hour) + cal::minutes(minute) + cal::seconds(second);
  }

  bool finished() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

int year_of(UnixTime time) {
  const auto day = cal::floor<cal::days>(cal::sys_seconds(cal::seconds(time.seconds)));
  return static_cast<int>(cal::year_month_day(day).year());
}

int full_year(int two_digits, UnixTime now) {
  const int this_year = year_of(now);
  const int year = this_year / 100 * 100 + two_digits;
  return year > this_year + 50 ? year - 100 : year;
}

}  // namespace

std::string http_date(UnixTime time) {
  const cal::sys_seconds at{cal::seconds(time.seconds)};
  const auto day = cal::floor<cal::days>(at);
  const cal::year_month_day date(day);
  const cal::hh_mm_ss clock(at - day);
  std::array<char, 64> text;
  const std::string_view name = kDays[cal::weekday(day).c_encoding()].substr(0, 3);
  const std::string_view month = kMonths[static_cast<unsigned>(date.month()) - 1];
  const int length = std::snprintf(
      text.data(), text.size(), "%.3s, %02u %.3s %04d %02d:%02d:%02d GMT", name.data(),
      static_cast<unsigned>(date.day()), month.data(), static_cast<int>(date.year()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<std::size_t>(length)};
}

std::optional<UnixTime> parse_http_date(std::string_view text, UnixTime now) {
  DateReader reader(text);
  int year = 0;
  unsigned month = 1;
  int day = 0;
  cal::seconds time_of_day{};
  const bool full_day_name = reader.day_name();
  if (full_day_name) {  // Sunday, 06-Nov-94 08:49:37 GMT
    reader.literal(", ");
    day = reader.number(2);
    reader.literal("-");
    month = reader.month();
    reader.literal("-");
    year = full_year(reader.number(2), now);
    reader.literal(" ");
    time_of_day = reader.time_of_day();
    reader.literal(" GMT");
  } else if (reader.has(", ")) {  // Sun, 06 Nov 1994 08:49:37 GMT
    reader.literal(", ");
    day = reader.number(2);
    reader.literal(" ");
    month = reader.month();
    reader.literal(" ");
    year = reader.number(4);
    reader.literal(" ");
    time_of_day = reader.time_of_day();
    reader.literal(" GMT");
  } else {  // Sun Nov  6 08:49:37 1994
    reader.literal(" ");
    month = reader.month();
    reader.literal(" ");
    day = reader.has(" ") && reader.literal(" ") ? reader.number(1) : reader.number(2);
    reader.literal(" ");
    time_of_day = reader.time_of_day();
    reader.literal(" ");
    year = reader.number(4);
  }
  const cal::year_month_day date(cal::year(year), cal::month(month),
                                 cal::day(static_cast<unsigned>(day)));
  if (!reader.finished() || !date.ok()) return std::nullopt;
  const cal::sys_seconds at = cal::sys_days(date) + time_of_day;
  return UnixTime{at.time_since_epoch().count()};
}

}  // namespace karst::stream::cover
