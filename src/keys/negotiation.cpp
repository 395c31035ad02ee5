#include "keys/negotiation.h"

#include <algorithm>

#include "base/check.h"

namespace karst::keys {

Result<LinkParameters> negotiate(Carrier carrier, const LocalAdvert& local,
                                 const PeerAdvert& peer) {
  CHECK(validate(local.policy, carrier).ok());
  CHECK(local.rekey_window >= kRekeyWindowMin && local.rekey_window <= kRekeyWindowMax);
  if (peer.rekey_window < kRekeyWindowMin || peer.rekey_window > kRekeyWindowMax) {
    return Error(kWindowOutOfRange, peer.rekey_window);
  }
  const EpochPolicy advertised{peer.policy.bytes, peer.policy.frames, peer.policy.active_ms};
  TRY(validate(advertised, carrier));
  if (below_floor(advertised, local.policy_floor)) return kPolicyBelowFloor;
  LinkParameters parameters;
  parameters.carrier = carrier;
  parameters.policy = minimum(local.policy, advertised);
  parameters.rekey_window = std::min(local.rekey_window, peer.rekey_window);
  const bool aes = carrier == Carrier::stream || (local.capabilities.aes && peer.capabilities.aes);
  parameters.aead = aes ? crypto::AeadKind::aes_256_gcm : crypto::AeadKind::chacha20_poly1305;
  return parameters;
}

}  // namespace karst::keys
