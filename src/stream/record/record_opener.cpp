#include "stream/record/record_opener.h"

#include "base/reader.h"

namespace karst::stream::record {

Result<MutableBytes> RecordOpener::open(MutableBytes record, TimePoint now) {
  if (record.size() < kRecordOverheadBytes ||
      record.size() > kRecordOverheadBytes + kRecordPlaintextMax) {
    return kRecordLength;
  }
  const Bytes header = record.first(kRecordHeaderBytes);
  const MutableBytes text =
      record.subspan(kRecordHeaderBytes, record.size() - kRecordOverheadBytes);
  Reader reader(header);
  const std::uint64_t epoch = reader.u64();
  const std::uint64_t sequence = reader.u64();
  TRY(epochs_.open(epoch, sequence, header, text, record.last<kRecordTagBytes>(), now));
  TRY(epochs_.count(classify_(text), text.size(), now));
  return text;
}

}  // namespace karst::stream::record
