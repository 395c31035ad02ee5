#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "crypto/sign.h"
#include "wire/handshake_values.h"

namespace karst::wire {

// The client's second message (docs/protocol/session.md, M3).
struct M3 {
  crypto::HybridPublic identity{};
  PskSelector psk = PskGeneration::zero;
  std::size_t padding = 0;
  crypto::HybridSignature signature{};
};

// Errors: wire/tlv.h.
Result<M3> parse_m3(Bytes record);
ByteVector format_m3(const M3& m3);

}  // namespace karst::wire
