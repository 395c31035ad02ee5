#pragma once

#include <optional>
#include <span>

#include "base/bytes.h"

namespace karst::keys {

inline constexpr std::size_t kSealTagBytes = 16;

// Seal() of docs/protocol/session.md: AES-256-GCM with an all-zero nonce and no associated data,
// for keys that seal exactly one text.

// Appends ciphertext and tag of `text` to `out`.
void seal_once(std::span<const std::uint8_t, 32> key, Bytes text, ByteVector& out);
// The text, or nothing when it is not authentic.
std::optional<ByteVector> open_once(std::span<const std::uint8_t, 32> key, Bytes sealed);

}  // namespace karst::keys
