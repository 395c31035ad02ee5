#pragma once

#include <array>
#include <cstdint>

#include "crypto/aead.h"
#include "crypto/secret.h"
#include "keys/policy.h"

namespace karst::keys {

using EpochRoot = crypto::Secret<32, struct EpochRootTag>;
using PskLink = crypto::Secret<32, struct PskLinkTag>;
using ResumeKey = crypto::Secret<32, struct ResumeKeyTag>;

// What a finished handshake hands to the ratchet of a link. Produced by the handshake
// (keys/handshake_*.h), consumed once by keys/ratchet.h: the roots are those of epoch 0.
struct LinkSecrets {
  EpochRoot client_to_server_root;
  EpochRoot server_to_client_root;
  PskLink psk_link;
  ResumeKey resume_key;
};

// What both sides signed and agreed on for a link.
struct LinkParameters {
  Carrier carrier = Carrier::stream;
  crypto::AeadKind aead = crypto::AeadKind::aes_256_gcm;
  // The component-wise minimum of both advertisements; the same for both directions.
  EpochPolicy policy = kExtreme;
  // The smaller of both advertisements, kRekeyWindowMin..kRekeyWindowMax.
  std::uint16_t rekey_window = kRekeyWindowMax;
};

}  // namespace karst::keys
