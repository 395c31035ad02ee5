#include "wire/ack.h"

#include "base/reader.h"
#include "base/writer.h"

namespace karst::wire {

Result<Ack> parse_ack(Bytes body) {
  Reader reader(body);
  Ack ack;
  ack.epoch = reader.u64();
  reader.copy(ack.x25519);
  reader.copy(ack.kem);
  if (!reader.finished() || ack.epoch == 0) return kBadAck;
  return ack;
}

void format_ack(const Ack& ack, std::span<std::uint8_t, kAckBytes> out) {
  Writer writer(out);
  writer.u64(ack.epoch);
  writer.bytes(ack.x25519);
  writer.bytes(ack.kem);
}

}  // namespace karst::wire
