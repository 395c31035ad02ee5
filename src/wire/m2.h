#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "crypto/aead.h"
#include "crypto/ml_kem.h"
#include "crypto/sign.h"
#include "crypto/x25519.h"
#include "wire/handshake_values.h"

namespace karst::wire {

// The server's answer is two records (docs/protocol/session.md, M2): one sealed by the front secret
// only, and one sealed under the handshake key that the first leads to.
struct M2Clear {
  crypto::X25519Public x25519{};
  crypto::MlKemCiphertext ml_kem{};
  bool operator==(const M2Clear&) const = default;
};

struct M2Sealed {
  crypto::HybridPublic identity{};
  std::optional<ReceiverId> receiver;  // datagram carrier only
  UnixTime time;
  std::uint16_t rekey_window = 0;
  PolicyAdvert policy;
  Capabilities capabilities;
  crypto::AeadKind aead = crypto::AeadKind::aes_256_gcm;
  ServerLimits limits;
  std::size_t padding = 0;
  crypto::HybridSignature signature{};
};

// Errors: wire/tlv.h.
Result<M2Clear> parse_m2_clear(Bytes record);
Result<M2Sealed> parse_m2_sealed(Bytes record);
ByteVector format_m2_clear(const M2Clear& m2);
ByteVector format_m2_sealed(const M2Sealed& m2);

}  // namespace karst::wire
