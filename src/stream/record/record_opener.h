#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/stream_receive_epochs.h"
#include "stream/record/record.h"

namespace karst::stream::record {

struct OpenedRecord {
  MutableBytes plaintext;  // lies in the record that was opened
  wire::RecordKind kind = wire::RecordKind::uncounted;
};

// Opens records of one direction in place, in exact order. `epochs` is borrowed for the opener's
// life. One thread. No allocation per record. Every error ends the link: kRecordLength, those of
// keys/ratchet_error.h, and those of wire/frame.h for an authentic record that is not made of
// frames.
class RecordOpener {
 public:
  explicit RecordOpener(keys::StreamReceiveEpochs& epochs) : epochs_(epochs) {}

  // Takes exactly one record. The first of the direction may be empty, as a client's is: it is
  // uncounted. A later one may not (wire::kRecordEmpty).
  Result<OpenedRecord> open(MutableBytes record, TimePoint now);
  // Takes the server's first record, whose plaintext is OK and no frame.
  Result<MutableBytes> open_ok(MutableBytes record, TimePoint now);

 private:
  Result<MutableBytes> authenticate(MutableBytes record, TimePoint now);

  keys::StreamReceiveEpochs& epochs_;
};

}  // namespace karst::stream::record
