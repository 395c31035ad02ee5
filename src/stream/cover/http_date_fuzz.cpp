#include "base/bytes.h"
#include "base/check.h"
#include "stream/cover/http_date.h"

// What is read as a time is written as that time.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::cover;
  constexpr karst::UnixTime kNow{1'796'055'187};
  const auto time = parse_http_date(karst::as_text({data, size}), kNow);
  if (time) CHECK(parse_http_date(http_date(*time), kNow) == time);
  return 0;
}
