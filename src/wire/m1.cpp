#include "wire/m1.h"

#include "base/reader.h"
#include "wire/handshake_codec.h"

namespace karst::wire {
namespace {

enum Field : std::uint8_t {
  kSuiteField = 1,
  kNonceField = 2,
  kCarrierField = 3,
  kTimeField = 4,
  kReceiverField = 5,
  kX25519Field = 6,
  kMlKemField = 7,
  kWindowField = 8,
  kPolicyField = 9,
  kCapabilitiesField = 10,
};
constexpr std::uint16_t kSuiteKarst1 = 1;
constexpr std::uint8_t kStreamCarrier = 1, kDatagramCarrier = 2;

}  // namespace

Result<M1> parse_m1(Bytes bytes) {
  RecordReader record(bytes, RecordKind::m1, kM1BytesMax);
  M1 m1;
  const std::uint16_t suite = Reader(record.required(kSuiteField, 2)).u16();
  if (suite != kSuiteKarst1) record.fail(kSuiteUnknown, suite);
  Reader(record.required(kNonceField, m1.nonce.size())).copy(m1.nonce);
  const std::uint8_t carrier = Reader(record.required(kCarrierField, 1)).u8();
  if (carrier == kDatagramCarrier) {
    m1.datagram.emplace();
    m1.datagram->time = read_time(record, kTimeField);
    m1.datagram->receiver = read_receiver(record, kReceiverField);
  } else {
    if (carrier != kStreamCarrier) record.bad_value(kCarrierField);
    record.forbidden(kTimeField);
    record.forbidden(kReceiverField);
  }
  Reader(record.required(kX25519Field, m1.x25519.size())).copy(m1.x25519);
  Reader(record.required(kMlKemField, m1.ml_kem.size())).copy(m1.ml_kem);
  m1.rekey_window = read_window(record, kWindowField);
  m1.policy = read_policy(record, kPolicyField);
  m1.capabilities = read_capabilities(record, kCapabilitiesField);
  m1.padding = record.padding();
  TRY(record.finish());
  return m1;
}

ByteVector format_m1(const M1& m1) {
  RecordWriter record(RecordKind::m1);
  record.u16(kSuiteField, kSuiteKarst1);
  record.field(kNonceField, m1.nonce);
  record.u8(kCarrierField, m1.datagram ? kDatagramCarrier : kStreamCarrier);
  if (m1.datagram) {
    record.u64(kTimeField, static_cast<std::uint64_t>(m1.datagram->time.seconds));
    record.u24(kReceiverField, m1.datagram->receiver.value);
  }
  record.field(kX25519Field, m1.x25519);
  record.field(kMlKemField, m1.ml_kem);
  record.u16(kWindowField, m1.rekey_window);
  write_policy(record, kPolicyField, m1.policy);
  write_capabilities(record, kCapabilitiesField, m1.capabilities);
  record.padding(m1.padding);
  return std::move(record).finish();
}

}  // namespace karst::wire
