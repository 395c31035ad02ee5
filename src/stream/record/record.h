#pragma once

#include <cstddef>

#include "base/result.h"
#include "keys/epoch_budget.h"
#include "wire/frame.h"
#include "wire/limits.h"

namespace karst::stream::record {

// The sealed record of the stream carrier, docs/protocol/ratchet.md "Records of the stream
// carrier": epoch u64 | sequence u64 | ciphertext | tag.
inline constexpr std::size_t kRecordHeaderBytes = 16;
inline constexpr std::size_t kRecordTagBytes = 16;
inline constexpr std::size_t kRecordOverheadBytes = kRecordHeaderBytes + kRecordTagBytes;
inline constexpr std::size_t kRecordBytesMax = wire::kPlaintextBytesMax + kRecordOverheadBytes;

inline constexpr ErrorKind kRecordLength{"record", "record-length",
                                         "a sealed record is too short or too long"};

inline keys::RecordClass class_of(wire::RecordKind kind) {
  return kind == wire::RecordKind::counted ? keys::RecordClass::counted
                                           : keys::RecordClass::uncounted;
}

}  // namespace karst::stream::record
