#pragma once

#include "base/bytes.h"
#include "base/time.h"
#include "keys/send_epochs.h"
#include "stream/record/record.h"

namespace karst::stream::record {

// Seals records of one direction in place, each under a one-use key of the current epoch's chain.
// It holds no key: the epochs do. `epochs` is borrowed for the sealer's life. One thread. No
// allocation per record.
class RecordSealer {
 public:
  explicit RecordSealer(keys::SendEpochs& epochs) : epochs_(epochs) {}

  // `space` is kRecordHeaderBytes, the plaintext (at most wire::kPlaintextBytesMax) and
  // kRecordTagBytes; afterwards it is the record. `kind` is what wire::classify_record() says of
  // the plaintext; of OK and of an empty first record: uncounted. LinkRatchet::can_seal_counted()
  // or can_seal_uncounted() must have said yes. Enters the next epoch when the current one does
  // not admit the record.
  void seal(wire::RecordKind kind, MutableBytes space, TimePoint now);

 private:
  keys::SendEpochs& epochs_;
};

}  // namespace karst::stream::record
