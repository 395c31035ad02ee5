#include "base/check.h"
#include "wire/tlv.h"

// A parser over every way to ask for a field. What measures as one record reads as far as its
// framing goes, and nothing is read past its end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  using namespace karst::wire;
  const Bytes input(data, size);
  const auto measured = measure_record(input);
  if (measured) CHECK(*measured >= kRecordHeaderBytes && *measured <= size);
  RecordReader record(input, RecordKind::m1, kM1BytesMax);
  if (record.ok()) CHECK(measured && *measured == size);
  record.required(1, 2);
  record.optional(3, 4);
  record.forbidden(5);
  const std::size_t padding = record.padding();
  if (record.finish())
    CHECK(padding < size && size >= kRecordHeaderBytes + 2 * kFieldHeaderBytes + 2);
  return 0;
}
