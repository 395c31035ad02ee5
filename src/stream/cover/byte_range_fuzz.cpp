#include "base/check.h"
#include "base/reader.h"
#include "stream/cover/byte_range.h"

// A part always lies within the file, and is never empty.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::cover;
  karst::Reader reader({data, size});
  const std::uint64_t file_size = reader.u64();
  const ByteRange range = parse_byte_range(karst::as_text(reader.rest()), file_size);
  if (range.kind != ByteRange::Kind::part) return 0;
  CHECK(range.length >= 1);
  CHECK(range.first < file_size && range.length <= file_size - range.first);
  return 0;
}
