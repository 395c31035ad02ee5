#pragma once

#include "base/result.h"
#include "keys/link_secrets.h"
#include "keys/policy.h"
#include "wire/handshake_values.h"

namespace karst::keys {

inline constexpr ErrorKind kWindowOutOfRange{"keys", "window-out-of-range",
                                             "a rekey window is outside 1 to 512"};

// What one side advertises for a link, and the floor below which it refuses the other's policy.
struct LocalAdvert {
  std::uint16_t rekey_window = kRekeyWindowMax;
  EpochPolicy policy = kExtreme;
  EpochPolicy policy_floor = kExtreme;
  wire::Capabilities capabilities;
};

// What the other side advertised, as parsed.
struct PeerAdvert {
  std::uint16_t rekey_window = 0;
  wire::PolicyAdvert policy;
  wire::Capabilities capabilities;
};

inline wire::PolicyAdvert to_wire(const EpochPolicy& policy) {
  return {policy.bytes, policy.frames, policy.active_ms};
}

// What follows from both advertisements; both sides compute the same. Errors: kWindowOutOfRange,
// kPolicyOutOfRange, kPolicyBelowFloor, all about the peer's values; ours must be valid (checked).
Result<LinkParameters> negotiate(Carrier carrier, const LocalAdvert& local, const PeerAdvert& peer);

}  // namespace karst::keys
