#include "wire/tlv.h"

#include <algorithm>

#include "base/check.h"
#include "base/reader.h"
#include "base/writer.h"

namespace karst::wire {
namespace {

constexpr std::uint8_t kCritical = static_cast<std::uint8_t>(FieldFlags::critical);

}  // namespace

RecordReader::RecordReader(Bytes record, RecordKind kind, std::size_t bytes_max) {
  read_fields(record, kind, bytes_max);
}

void RecordReader::read_fields(Bytes record, RecordKind kind, std::size_t bytes_max) {
  if (record.size() > bytes_max) return fail(kRecordTooLong);
  Reader reader(record);
  const std::uint8_t schema = reader.u8();
  const std::uint8_t kind_read = reader.u8();
  const std::size_t count = reader.u8();
  if (!reader.ok()) return fail(kRecordTruncated);
  if (schema != kRecordSchemaVersion) return fail(kRecordSchema, schema);
  if (kind_read != static_cast<std::uint8_t>(kind)) return fail(kRecordKind, kind_read);
  if (count > kRecordFieldsMax) return fail(kRecordFieldCount, static_cast<std::int64_t>(count));
  int last_id = -1;
  for (; count_ < count; ++count_) {
    Field& field = fields_[count_];
    field.flags = reader.u8();
    field.id = reader.u8();
    field.value = reader.bytes(reader.u32());
    if (!reader.ok()) return fail(kRecordTruncated, field.id);
    if (field.flags > kCritical) return fail(kFieldFlags, field.id);
    if (field.id <= last_id) return fail(kFieldOrder, field.id);
    last_id = field.id;
  }
  if (!reader.finished()) return fail(kRecordTrailing);
}

void RecordReader::fail(const ErrorKind& kind, std::int64_t detail) {
  if (!error_) error_ = Error(kind, detail);
}

void RecordReader::skip_unknown_before(unsigned id) {
  for (; next_ < count_ && fields_[next_].id < id; ++next_) {
    if (fields_[next_].flags == kCritical) fail(kFieldUnknown, fields_[next_].id);
  }
}

std::optional<Bytes> RecordReader::take(std::uint8_t id, FieldFlags flags) {
  if (error_) return std::nullopt;
  skip_unknown_before(id);
  if (error_ || next_ == count_ || fields_[next_].id != id) return std::nullopt;
  const Field& field = fields_[next_++];
  if (field.flags != static_cast<std::uint8_t>(flags)) {
    fail(kFieldFlags, id);
    return std::nullopt;
  }
  return field.value;
}

std::optional<Bytes> RecordReader::optional(std::uint8_t id, std::size_t size) {
  const auto value = take(id, FieldFlags::critical);
  if (value && value->size() != size) {
    fail(kFieldSize, id);
    return std::nullopt;
  }
  return value;
}

Bytes RecordReader::required(std::uint8_t id, std::size_t size) {
  const auto value = optional(id, size);
  if (!value) fail(kFieldMissing, id);
  return value.value_or(Bytes{});
}

void RecordReader::forbidden(std::uint8_t id) {
  if (take(id, FieldFlags::critical)) fail(kFieldUnexpected, id);
}

std::size_t RecordReader::padding() {
  const auto value = take(kPaddingField, FieldFlags::none);
  if (!value) {
    fail(kFieldMissing, kPaddingField);
    return 0;
  }
  if (!std::ranges::all_of(*value, [](std::uint8_t byte) { return byte == 0; })) {
    bad_value(kPaddingField);
  }
  return value->size();
}

Result<void> RecordReader::finish() {
  if (!error_) skip_unknown_before(256);
  if (error_) return *error_;
  return {};
}

Result<std::size_t> measure_record(Bytes bytes) {
  Reader reader(bytes);
  reader.u16();
  const std::size_t count = reader.u8();
  if (count > kRecordFieldsMax) return Error(kRecordFieldCount, static_cast<std::int64_t>(count));
  for (std::size_t i = 0; i < count && reader.ok(); ++i) {
    reader.u16();
    reader.bytes(reader.u32());
  }
  if (!reader.ok()) return kRecordTruncated;
  return bytes.size() - reader.remaining();
}

RecordWriter::RecordWriter(RecordKind kind)
    : record_{kRecordSchemaVersion, static_cast<std::uint8_t>(kind), 0} {}

MutableBytes RecordWriter::add(std::uint8_t id, std::size_t size, FieldFlags flags) {
  CHECK(id > last_id_ && record_[2] < kRecordFieldsMax && size <= 0xffffffffu);
  last_id_ = id;
  ++record_[2];
  const std::size_t start = record_.size();
  record_.resize(start + kFieldHeaderBytes + size);
  Writer writer(MutableBytes(record_).subspan(start));
  writer.u8(static_cast<std::uint8_t>(flags));
  writer.u8(id);
  writer.u32(static_cast<std::uint32_t>(size));
  return writer.take(size);
}

void RecordWriter::field(std::uint8_t id, Bytes value, FieldFlags flags) {
  copy_bytes(add(id, value.size(), flags), value);
}
void RecordWriter::u8(std::uint8_t id, std::uint8_t value) {
  Writer(add(id, 1, FieldFlags::critical)).u8(value);
}
void RecordWriter::u16(std::uint8_t id, std::uint16_t value) {
  Writer(add(id, 2, FieldFlags::critical)).u16(value);
}
void RecordWriter::u24(std::uint8_t id, std::uint32_t value) {
  Writer(add(id, 3, FieldFlags::critical)).u24(value);
}
void RecordWriter::u32(std::uint8_t id, std::uint32_t value) {
  Writer(add(id, 4, FieldFlags::critical)).u32(value);
}
void RecordWriter::u64(std::uint8_t id, std::uint64_t value) {
  Writer(add(id, 8, FieldFlags::critical)).u64(value);
}
void RecordWriter::padding(std::size_t size) { add(kPaddingField, size, FieldFlags::none); }

ByteVector RecordWriter::finish() && { return std::move(record_); }

}  // namespace karst::wire
