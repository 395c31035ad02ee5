#include "stream/record/record_sealer.h"

#include "base/check.h"
#include "base/writer.h"

namespace karst::stream::record {

void RecordSealer::seal(wire::RecordKind kind, MutableBytes space, TimePoint now) {
  CHECK(space.size() >= kRecordOverheadBytes && space.size() <= kRecordBytesMax);
  const MutableBytes header = space.first(kRecordHeaderBytes);
  const MutableBytes text = space.subspan(kRecordHeaderBytes, space.size() - kRecordOverheadBytes);
  const keys::SealSlot slot = epochs_.begin_record(class_of(kind), text.size(), now);
  Writer writer(header);
  writer.u64(slot.epoch);
  writer.u64(slot.sequence);
  epochs_.seal(header, text, space.last<kRecordTagBytes>());
}

}  // namespace karst::stream::record
