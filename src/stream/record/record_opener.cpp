#include "stream/record/record_opener.h"

#include "base/reader.h"

namespace karst::stream::record {

Result<OpenedRecord> RecordOpener::open(MutableBytes record, TimePoint now) {
  const bool opened_before = epochs_.opened() > 0;
  TRY_ASSIGN(const MutableBytes text, authenticate(record, now));
  auto kind = wire::RecordKind::uncounted;
  // A client's first record may be empty: it only shows that the client has the keys.
  if (!text.empty() || opened_before) {
    TRY_ASSIGN(kind, wire::classify_record(text));
  }
  TRY(epochs_.count(class_of(kind), text.size(), now));
  return OpenedRecord{text, kind};
}

Result<MutableBytes> RecordOpener::open_ok(MutableBytes record, TimePoint now) {
  TRY_ASSIGN(const MutableBytes text, authenticate(record, now));
  TRY(epochs_.count(keys::RecordClass::uncounted, text.size(), now));
  return text;
}

Result<MutableBytes> RecordOpener::authenticate(MutableBytes record, TimePoint now) {
  if (record.size() < kRecordOverheadBytes || record.size() > kRecordBytesMax) {
    return kRecordLength;
  }
  const Bytes header = record.first(kRecordHeaderBytes);
  const MutableBytes text =
      record.subspan(kRecordHeaderBytes, record.size() - kRecordOverheadBytes);
  Reader reader(header);
  const std::uint64_t epoch = reader.u64();
  const std::uint64_t sequence = reader.u64();
  TRY(epochs_.open(epoch, sequence, header, text, record.last<kRecordTagBytes>(), now));
  return text;
}

}  // namespace karst::stream::record
