#include "wire/ok.h"

#include "base/check.h"
#include "base/reader.h"
#include "base/writer.h"
#include "wire/handshake_codec.h"

namespace karst::wire {
namespace {

enum Field : std::uint8_t {
  kWindowField = 1,
  kPolicyField = 2,
  kAeadField = 3,
  kLimitsField = 4,
  kIpv4Field = 5,
  kIpv6Field = 6,
  kSessionField = 7,
};
constexpr std::size_t kLimitsBytes = 12;

ClientLimits read_limits(RecordReader& record) {
  Reader reader(record.required(kLimitsField, kLimitsBytes));
  ClientLimits limits;
  limits.streams = reader.u32();
  limits.bytes_per_second = reader.u64();
  return limits;
}

std::optional<AssignedAddress> read_ipv4(RecordReader& record) {
  const auto value = record.optional(kIpv4Field, 5);
  if (!value) return std::nullopt;
  Reader reader(*value);
  std::array<std::uint8_t, 4> bytes;
  reader.copy(bytes);
  const std::uint8_t prefix = reader.u8();
  if (prefix > 32) record.bad_value(kIpv4Field);
  return AssignedAddress{IpAddress::v4(bytes), prefix};
}

std::optional<AssignedAddress> read_ipv6(RecordReader& record) {
  const auto value = record.optional(kIpv6Field, 17);
  if (!value) return std::nullopt;
  Reader reader(*value);
  std::array<std::uint8_t, 16> bytes;
  reader.copy(bytes);
  const std::uint8_t prefix = reader.u8();
  if (prefix > 128) record.bad_value(kIpv6Field);
  return AssignedAddress{IpAddress::v6(bytes), prefix};
}

void write_address(RecordWriter& record, std::uint8_t id, const AssignedAddress& assigned) {
  CHECK(assigned.address.is_v4() == (id == kIpv4Field));
  ByteVector value = to_vector(assigned.address.bytes());
  value.push_back(assigned.prefix);
  record.field(id, value);
}

}  // namespace

Result<Ok> parse_ok(Bytes bytes) {
  RecordReader record(bytes, RecordKind::ok, kOkBytesMax);
  Ok ok;
  ok.rekey_window = read_window(record, kWindowField);
  ok.policy = read_policy(record, kPolicyField);
  ok.aead = read_aead(record, kAeadField);
  ok.limits = read_limits(record);
  ok.ipv4 = read_ipv4(record);
  ok.ipv6 = read_ipv6(record);
  Reader(record.required(kSessionField, ok.session_id.size())).copy(ok.session_id);
  ok.padding = record.padding();
  TRY(record.finish());
  return ok;
}

ByteVector format_ok(const Ok& ok) {
  RecordWriter record(RecordKind::ok);
  record.u16(kWindowField, ok.rekey_window);
  write_policy(record, kPolicyField, ok.policy);
  record.u8(kAeadField, static_cast<std::uint8_t>(ok.aead));
  std::array<std::uint8_t, kLimitsBytes> limits;
  Writer writer(limits);
  writer.u32(ok.limits.streams);
  writer.u64(ok.limits.bytes_per_second);
  record.field(kLimitsField, limits);
  if (ok.ipv4) write_address(record, kIpv4Field, *ok.ipv4);
  if (ok.ipv6) write_address(record, kIpv6Field, *ok.ipv6);
  record.field(kSessionField, ok.session_id);
  record.padding(ok.padding);
  return std::move(record).finish();
}

}  // namespace karst::wire
