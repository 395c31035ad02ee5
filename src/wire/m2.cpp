#include "wire/m2.h"

#include "base/reader.h"
#include "base/writer.h"
#include "wire/handshake_codec.h"

namespace karst::wire {
namespace {

enum ClearField : std::uint8_t { kX25519Field = 1, kMlKemField = 2 };

enum SealedField : std::uint8_t {
  kIdentityField = 1,
  kReceiverField = 2,
  kTimeField = 3,
  kWindowField = 4,
  kPolicyField = 5,
  kCapabilitiesField = 6,
  kAeadField = 7,
  kLimitsField = 8,
};
constexpr std::size_t kLimitsBytes = 8;

ServerLimits read_limits(RecordReader& record) {
  Reader reader(record.required(kLimitsField, kLimitsBytes));
  ServerLimits limits;
  limits.streams = reader.u32();
  limits.resume_seconds = reader.u32();
  if (limits.streams == 0) record.bad_value(kLimitsField);
  return limits;
}

}  // namespace

Result<M2Clear> parse_m2_clear(Bytes bytes) {
  RecordReader record(bytes, RecordKind::m2_clear, kM2ClearBytesMax);
  M2Clear m2;
  Reader(record.required(kX25519Field, m2.x25519.size())).copy(m2.x25519);
  Reader(record.required(kMlKemField, m2.ml_kem.size())).copy(m2.ml_kem);
  TRY(record.finish());
  return m2;
}

ByteVector format_m2_clear(const M2Clear& m2) {
  RecordWriter record(RecordKind::m2_clear);
  record.field(kX25519Field, m2.x25519);
  record.field(kMlKemField, m2.ml_kem);
  return std::move(record).finish();
}

Result<M2Sealed> parse_m2_sealed(Bytes bytes) {
  RecordReader record(bytes, RecordKind::m2_sealed, kM2BytesMax);
  M2Sealed m2;
  m2.identity = read_identity(record, kIdentityField);
  if (const auto receiver = record.optional(kReceiverField, 3)) {
    m2.receiver = ReceiverId{Reader(*receiver).u24()};
  }
  m2.time = read_time(record, kTimeField);
  m2.rekey_window = read_window(record, kWindowField);
  m2.policy = read_policy(record, kPolicyField);
  m2.capabilities = read_capabilities(record, kCapabilitiesField);
  m2.aead = read_aead(record, kAeadField);
  m2.limits = read_limits(record);
  m2.padding = record.padding();
  m2.signature = read_signature(record);
  TRY(record.finish());
  return m2;
}

ByteVector format_m2_sealed(const M2Sealed& m2) {
  RecordWriter record(RecordKind::m2_sealed);
  write_identity(record, kIdentityField, m2.identity);
  if (m2.receiver) record.u24(kReceiverField, m2.receiver->value);
  record.u64(kTimeField, static_cast<std::uint64_t>(m2.time.seconds));
  record.u16(kWindowField, m2.rekey_window);
  write_policy(record, kPolicyField, m2.policy);
  write_capabilities(record, kCapabilitiesField, m2.capabilities);
  record.u8(kAeadField, static_cast<std::uint8_t>(m2.aead));
  std::array<std::uint8_t, kLimitsBytes> limits;
  Writer writer(limits);
  writer.u32(m2.limits.streams);
  writer.u32(m2.limits.resume_seconds);
  record.field(kLimitsField, limits);
  record.padding(m2.padding);
  write_signature(record, m2.signature);
  return std::move(record).finish();
}

}  // namespace karst::wire
