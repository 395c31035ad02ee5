#include "wire/handshake_codec.h"

#include <limits>

#include "base/check.h"
#include "base/reader.h"
#include "base/writer.h"

namespace karst::wire {
namespace {

constexpr std::uint32_t kAesBit = 1, kFecBit = 2, kStreamBit = 4, kDatagramBit = 8;

}  // namespace

std::uint16_t read_window(RecordReader& record, std::uint8_t id) {
  return Reader(record.required(id, 2)).u16();
}

PolicyAdvert read_policy(RecordReader& record, std::uint8_t id) {
  Reader reader(record.required(id, kPolicyBytes));
  PolicyAdvert policy;
  policy.bytes = reader.u64();
  policy.frames = reader.u64();
  policy.active_ms = reader.u32();
  return policy;
}

Capabilities read_capabilities(RecordReader& record, std::uint8_t id) {
  const std::uint32_t bits = Reader(record.required(id, 4)).u32();
  if (bits >= kDatagramBit << 1) record.bad_value(id);
  return {.aes = (bits & kAesBit) != 0,
          .fec = (bits & kFecBit) != 0,
          .stream_carrier = (bits & kStreamBit) != 0,
          .datagram_carrier = (bits & kDatagramBit) != 0};
}

crypto::AeadKind read_aead(RecordReader& record, std::uint8_t id) {
  const std::uint8_t value = Reader(record.required(id, 1)).u8();
  if (value != 1 && value != 2) record.bad_value(id);
  return value == 2 ? crypto::AeadKind::chacha20_poly1305 : crypto::AeadKind::aes_256_gcm;
}

ReceiverId read_receiver(RecordReader& record, std::uint8_t id) {
  return {Reader(record.required(id, 3)).u24()};
}

UnixTime read_time(RecordReader& record, std::uint8_t id) {
  const std::uint64_t seconds = Reader(record.required(id, 8)).u64();
  if (seconds > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    record.bad_value(id);
    return {};
  }
  return {static_cast<std::int64_t>(seconds)};
}

crypto::HybridPublic read_identity(RecordReader& record, std::uint8_t id) {
  Reader reader(record.required(id, kIdentityBytes));
  crypto::HybridPublic identity;
  reader.copy(identity.ed25519);
  reader.copy(identity.ml_dsa);
  return identity;
}

crypto::HybridSignature read_signature(RecordReader& record) {
  Reader reader(record.required(kSignatureField, kSignatureBytes));
  crypto::HybridSignature signature;
  reader.copy(signature.ed25519);
  reader.copy(signature.ml_dsa);
  return signature;
}

void write_policy(RecordWriter& record, std::uint8_t id, const PolicyAdvert& policy) {
  std::array<std::uint8_t, kPolicyBytes> value;
  Writer writer(value);
  writer.u64(policy.bytes);
  writer.u64(policy.frames);
  writer.u32(policy.active_ms);
  record.field(id, value);
}

void write_capabilities(RecordWriter& record, std::uint8_t id, const Capabilities& capabilities) {
  record.u32(id, (capabilities.aes ? kAesBit : 0) | (capabilities.fec ? kFecBit : 0) |
                     (capabilities.stream_carrier ? kStreamBit : 0) |
                     (capabilities.datagram_carrier ? kDatagramBit : 0));
}

void write_identity(RecordWriter& record, std::uint8_t id, const crypto::HybridPublic& identity) {
  std::array<std::uint8_t, kIdentityBytes> value;
  Writer writer(value);
  writer.bytes(identity.ed25519);
  writer.bytes(identity.ml_dsa);
  record.field(id, value);
}

void write_signature(RecordWriter& record, const crypto::HybridSignature& signature) {
  std::array<std::uint8_t, kSignatureBytes> value;
  Writer writer(value);
  writer.bytes(signature.ed25519);
  writer.bytes(signature.ml_dsa);
  record.field(kSignatureField, value);
}

Bytes unsigned_part(Bytes record) {
  CHECK(record.size() >= kRecordHeaderBytes + kFieldHeaderBytes + kSignatureBytes);
  return record.first(record.size() - kFieldHeaderBytes - kSignatureBytes);
}

void place_signature(MutableBytes record, const crypto::HybridSignature& signature) {
  CHECK(record.size() >= kRecordHeaderBytes + kFieldHeaderBytes + kSignatureBytes);
  Writer writer(record.last(kSignatureBytes));
  writer.bytes(signature.ed25519);
  writer.bytes(signature.ml_dsa);
}

}  // namespace karst::wire
