#pragma once

// For tests: takes handshake records apart and puts them together with any field wrong.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/reader.h"
#include "wire/tlv.h"

namespace karst::wire {

struct RawField {
  std::uint8_t flags = 0;
  std::uint8_t id = 0;
  ByteVector value;
};

struct RawRecord {
  std::uint8_t schema = 1;
  std::uint8_t kind = 0;
  std::vector<RawField> fields;

  RawRecord(int kind_of, std::vector<RawField> with)
      : kind(static_cast<std::uint8_t>(kind_of)), fields(std::move(with)) {}
  explicit RawRecord(Bytes record) {
    Reader reader(record);
    schema = reader.u8();
    kind = reader.u8();
    const std::size_t count = reader.u8();
    for (std::size_t i = 0; i < count; ++i) {
      RawField& field = fields.emplace_back();
      field.flags = reader.u8();
      field.id = reader.u8();
      field.value = to_vector(reader.bytes(reader.u32()));
    }
  }

  RawField& at(int id) {
    return *std::ranges::find_if(fields, [&](const RawField& field) { return field.id == id; });
  }
  void erase(int id) {
    std::erase_if(fields, [&](const RawField& field) { return field.id == id; });
  }
  // Puts the field where its id belongs.
  void insert(RawField field) {
    const auto place =
        std::ranges::find_if(fields, [&](const RawField& other) { return other.id > field.id; });
    fields.insert(place, std::move(field));
  }

  ByteVector bytes() const {
    ByteVector out = {schema, kind, static_cast<std::uint8_t>(fields.size())};
    for (const RawField& field : fields) {
      const auto size = static_cast<std::uint32_t>(field.value.size());
      out.insert(out.end(),
                 {field.flags, field.id, static_cast<std::uint8_t>(size >> 24),
                  static_cast<std::uint8_t>(size >> 16), static_cast<std::uint8_t>(size >> 8),
                  static_cast<std::uint8_t>(size)});
      out.insert(out.end(), field.value.begin(), field.value.end());
    }
    return out;
  }
};

}  // namespace karst::wire
