#include "wire/m3.h"

#include "base/reader.h"
#include "wire/handshake_codec.h"

namespace karst::wire {
namespace {

enum Field : std::uint8_t { kIdentityField = 1, kGenerationField = 2, kInviteField = 3 };

PskSelector read_selector(RecordReader& record) {
  if (const auto generation = record.optional(kGenerationField, 1)) {
    record.forbidden(kInviteField);
    const std::uint8_t value = Reader(*generation).u8();
    if (value > 1) record.bad_value(kGenerationField);
    return value == 1 ? PskGeneration::one : PskGeneration::zero;
  }
  InviteId invite;
  Reader(record.required(kInviteField, invite.size())).copy(invite);
  return invite;
}

}  // namespace

Result<M3> parse_m3(Bytes bytes) {
  RecordReader record(bytes, RecordKind::m3, kM3BytesMax);
  M3 m3;
  m3.identity = read_identity(record, kIdentityField);
  m3.psk = read_selector(record);
  m3.padding = record.padding();
  m3.signature = read_signature(record);
  TRY(record.finish());
  return m3;
}

ByteVector format_m3(const M3& m3) {
  RecordWriter record(RecordKind::m3);
  write_identity(record, kIdentityField, m3.identity);
  if (const auto* generation = std::get_if<PskGeneration>(&m3.psk)) {
    record.u8(kGenerationField, static_cast<std::uint8_t>(*generation));
  } else {
    record.field(kInviteField, std::get<InviteId>(m3.psk));
  }
  record.padding(m3.padding);
  write_signature(record, m3.signature);
  return std::move(record).finish();
}

}  // namespace karst::wire
