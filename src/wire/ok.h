#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/ip.h"
#include "base/result.h"
#include "crypto/aead.h"
#include "wire/handshake_values.h"

namespace karst::wire {

struct AssignedAddress {
  IpAddress address;
  std::uint8_t prefix = 0;  // 0..32 or 0..128
  bool operator==(const AssignedAddress&) const = default;
};

// The server's first record under the session keys (docs/protocol/session.md, OK).
struct Ok {
  std::uint16_t rekey_window = 0;
  PolicyAdvert policy;
  crypto::AeadKind aead = crypto::AeadKind::aes_256_gcm;
  ClientLimits limits;
  std::optional<AssignedAddress> ipv4;
  std::optional<AssignedAddress> ipv6;
  SessionId session_id{};
  std::size_t padding = 0;
  bool operator==(const Ok&) const = default;
};

// Errors: wire/tlv.h.
Result<Ok> parse_ok(Bytes record);
ByteVector format_ok(const Ok& ok);

}  // namespace karst::wire
