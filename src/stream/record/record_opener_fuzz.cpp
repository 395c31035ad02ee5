#include <algorithm>

#include "base/check.h"
#include "stream/record/record_for_test.h"

// A hostile stream of records: real ones, altered by the input. What opens is what was sealed, and
// only in order; a record that the input altered never opens.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  using namespace karst::stream::record;
  RecordPair link;
  // The input as it is: no key fits it.
  ByteVector raw(data, data + std::min(size, kRecordBytesMax + 1));
  CHECK(!link.open(raw).ok());
  // Then operations of two bytes: how many bytes to seal, and what to alter.
  for (std::size_t i = 0; i + 1 < std::min<std::size_t>(size, 256); i += 2) {
    if (!link.ratchets.client.can_seal_counted(8u + data[i], link.now)) break;
    ByteVector record = link.seal(wire::FrameType::data, 8u + data[i]);
    const ByteVector plain = frame_record(wire::FrameType::data, 8u + data[i]);
    if (data[i + 1] != 0) {
      ByteVector altered = record;
      altered[data[i + 1] % altered.size()] ^= data[i + 1];
      CHECK(!link.open(altered).ok());
    }
    const auto opened = link.open(record);
    CHECK(opened.ok());
    CHECK(equal(opened->plaintext, Bytes(plain).subspan(kRecordHeaderBytes, 8u + data[i])));
    ByteVector again = record;
    CHECK(!link.open(again).ok());
    if (data[i] % 8 == 0) link.exchange();
  }
  return 0;
}
