#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "crypto/ml_kem.h"
#include "crypto/x25519.h"
#include "wire/handshake_values.h"

namespace karst::wire {

inline constexpr ErrorKind kSuiteUnknown{"wire", "suite-unknown",
                                         "the client speaks another protocol suite"};

// The client's first message (docs/protocol/session.md, M1).
struct M1 {
  struct Datagram {
    UnixTime time;
    ReceiverId receiver;
    bool operator==(const Datagram&) const = default;
  };

  Nonce nonce{};
  std::optional<Datagram> datagram;  // absent on the stream carrier
  crypto::X25519Public x25519{};
  crypto::MlKemPublic ml_kem{};
  std::uint16_t rekey_window = 0;
  PolicyAdvert policy;
  Capabilities capabilities;
  std::size_t padding = 0;
  bool operator==(const M1&) const = default;
};

// Errors: wire/tlv.h and kSuiteUnknown.
Result<M1> parse_m1(Bytes record);
ByteVector format_m1(const M1& m1);

}  // namespace karst::wire
