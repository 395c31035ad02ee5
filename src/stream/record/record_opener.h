#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/stream_receive_epochs.h"
#include "stream/record/record.h"

namespace karst::stream::record {

// Opens records of one direction in place, in exact order. `epochs` is borrowed for the opener's
// life. One thread. No allocation per record.
class RecordOpener {
 public:
  // Says whether a plaintext holds a frame that counts; called after authentication. Bytes that
  // are no frames may be called either way: what reads them next refuses them.
  using Classify = keys::RecordClass (*)(Bytes plaintext);

  RecordOpener(keys::StreamReceiveEpochs& epochs, Classify classify)
      : epochs_(epochs), classify_(classify) {}

  // Takes exactly one record and gives its plaintext, which lies in `record`. Every error ends the
  // link: kRecordLength, and those of keys/ratchet_error.h.
  Result<MutableBytes> open(MutableBytes record, TimePoint now);

 private:
  keys::StreamReceiveEpochs& epochs_;
  Classify classify_;
};

}  // namespace karst::stream::record
