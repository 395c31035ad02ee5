#pragma once

#include "base/reader.h"
#include "base/writer.h"

// Big-endian fields at a place of a header whose length the caller knows.
namespace karst::lab {

inline std::uint16_t get16(Bytes bytes, std::size_t at) { return Reader(bytes.subspan(at)).u16(); }
inline std::uint32_t get32(Bytes bytes, std::size_t at) { return Reader(bytes.subspan(at)).u32(); }
// The low 16 bits of `value`.
inline void put16(MutableBytes bytes, std::size_t at, std::size_t value) {
  Writer(bytes.subspan(at)).u16(static_cast<std::uint16_t>(value));
}
inline void put32(MutableBytes bytes, std::size_t at, std::uint32_t value) {
  Writer(bytes.subspan(at)).u32(value);
}

}  // namespace karst::lab
