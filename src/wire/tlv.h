#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "wire/limits.h"

// The records of the handshake (docs/protocol/session.md, Records): a header and fields with
// strictly increasing ids. Error details are field ids unless said otherwise.

namespace karst::wire {

inline constexpr ErrorKind kRecordTooLong{"wire", "record-too-long",
                                          "a handshake record is over its size limit"};
inline constexpr ErrorKind kRecordTruncated{"wire", "record-truncated",
                                            "a handshake record ends before its fields do"};
inline constexpr ErrorKind kRecordTrailing{"wire", "record-trailing",
                                           "bytes follow the last field of a handshake record"};
inline constexpr ErrorKind kRecordSchema{"wire", "record-schema",
                                         "a handshake record has another schema"};
inline constexpr ErrorKind kRecordKind{"wire", "record-kind",
                                       "a handshake record is not of the awaited kind"};
inline constexpr ErrorKind kRecordFieldCount{"wire", "record-field-count",
                                             "a handshake record has more than 64 fields"};
inline constexpr ErrorKind kFieldFlags{
    "wire", "field-flags", "a field has a reserved flag, or not the flags defined for it"};
inline constexpr ErrorKind kFieldOrder{"wire", "field-order", "field ids repeat or decrease"};
inline constexpr ErrorKind kFieldUnknown{"wire", "field-unknown", "an unknown field is critical"};
inline constexpr ErrorKind kFieldMissing{"wire", "field-missing", "a required field is absent"};
inline constexpr ErrorKind kFieldUnexpected{"wire", "field-unexpected",
                                            "a defined field does not belong into this record"};
inline constexpr ErrorKind kFieldSize{"wire", "field-size", "a field has a wrong length"};
inline constexpr ErrorKind kFieldValue{"wire", "field-value",
                                       "a field has a value that is not allowed"};

enum class RecordKind : std::uint8_t { m1 = 1, m2_clear = 2, m2_sealed = 3, m3 = 4, ok = 5 };

inline constexpr std::uint8_t kRecordSchemaVersion = 1;
inline constexpr std::size_t kRecordHeaderBytes = 3;
inline constexpr std::size_t kFieldHeaderBytes = 6;

enum class FieldFlags : std::uint8_t { none = 0, critical = 1 };

inline constexpr std::uint8_t kPaddingField = 254;
inline constexpr std::uint8_t kSignatureField = 255;

// Reads one record. The parser of a message asks for its fields in the order of their ids and at
// the end for finish(). The first error sticks; after one, every value is empty. Unknown fields
// between the asked ones are skipped when they are not critical. Borrows the record's bytes.
class RecordReader {
 public:
  // `record` must be the whole record.
  RecordReader(Bytes record, RecordKind kind, std::size_t bytes_max);

  // The value of a required field of exactly `size` bytes; empty after an error.
  Bytes required(std::uint8_t id, std::size_t size);
  // The same for a field that may be absent.
  std::optional<Bytes> optional(std::uint8_t id, std::size_t size);
  // A defined field that must not be there.
  void forbidden(std::uint8_t id);
  // The required padding: its size. Checks that it is zero.
  std::size_t padding();
  // For a value that the parser finds wrong.
  void bad_value(std::uint8_t id) { fail(kFieldValue, id); }
  void fail(const ErrorKind& kind, std::int64_t detail = 0);

  bool ok() const { return !error_; }
  // The first error, if any; else whether what is left may be ignored.
  Result<void> finish();

 private:
  struct Field {
    std::uint8_t flags = 0;
    std::uint8_t id = 0;
    Bytes value;
  };
  void read_fields(Bytes record, RecordKind kind, std::size_t bytes_max);
  void skip_unknown_before(unsigned id);
  std::optional<Bytes> take(std::uint8_t id, FieldFlags flags);

  std::array<Field, kRecordFieldsMax> fields_;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::optional<Error> error_;
};

// The length of the record that `bytes` begin with, for one with something behind it. Looks at
// the lengths only: the RecordReader judges the rest. kRecordTruncated, kRecordFieldCount.
Result<std::size_t> measure_record(Bytes bytes);

// Writes one record. Fields are added in the order of their ids (checked).
class RecordWriter {
 public:
  explicit RecordWriter(RecordKind kind);

  void field(std::uint8_t id, Bytes value, FieldFlags flags = FieldFlags::critical);
  void u8(std::uint8_t id, std::uint8_t value);
  void u16(std::uint8_t id, std::uint16_t value);
  void u24(std::uint8_t id, std::uint32_t value);
  void u32(std::uint8_t id, std::uint32_t value);
  void u64(std::uint8_t id, std::uint64_t value);
  void padding(std::size_t size);
  ByteVector finish() &&;

 private:
  MutableBytes add(std::uint8_t id, std::size_t size, FieldFlags flags);

  ByteVector record_;
  int last_id_ = -1;
};

}  // namespace karst::wire
