#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace karst {

// Borrowed bytes. A function that takes one reads it during the call only, unless its comment
// says for how long the bytes must live.
using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

// Owned bytes that are not secret. Secrets live in crypto::Secret.
using ByteVector = std::vector<std::uint8_t>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline ByteVector to_vector(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

// Not constant-time: for public values only. Secrets are compared with crypto/ct.h.
bool equal(Bytes a, Bytes b);

// Copies all of `from` to the front of `to`, which must be at least as long.
void copy_bytes(MutableBytes to, Bytes from);

}  // namespace karst
