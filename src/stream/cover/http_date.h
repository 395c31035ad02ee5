#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace karst::stream::cover {

// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 section 5.6.7). From year 0 to 9999.
std::string http_date(UnixTime time);

// Any of the three forms of RFC 9110 section 5.6.7: the one above, RFC 850's and asctime's. The
// day's name is not compared with the date. A two-digit year is within 50 years before `now`'s
// next 50.
std::optional<UnixTime> parse_http_date(std::string_view text, UnixTime now);

}  // namespace karst::stream::cover
