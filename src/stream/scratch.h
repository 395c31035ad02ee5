#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "stream/http2/limits.h"
#include "stream/tls/tls_connection.h"

namespace karst::stream {

// Working space that the connections of one thread share, so that an idle one holds none: the
// plaintext of one TLS record on its way in, one block of HTTP/2 on its way out.
struct Scratch {
  std::array<std::uint8_t, tls::kRecordBytes> read;
  std::array<std::uint8_t, http2::kBlockBytes> block;
};

// How much ciphertext is made ahead of what TCP takes: large enough for one system call to carry
// many records, small enough that what is decided late is still decided late.
inline constexpr std::size_t kOutputTarget = 128 * 1024;

}  // namespace karst::stream
