#include <string>

#include "app/byte_size.h"
#include "base/bytes.h"
#include "base/check.h"

// What is accepted is, written as a bare number, the same size.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using karst::app::parse_byte_size;
  const auto bytes = parse_byte_size(karst::as_text({data, size}));
  if (bytes) CHECK(parse_byte_size(std::to_string(*bytes)) == bytes);
  return 0;
}
