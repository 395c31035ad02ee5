#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/result.h"
#include "crypto/sign.h"
#include "keys/transcript.h"

// What both sides of a handshake do in the same way (docs/protocol/session.md).

namespace karst::keys {

// Adds `record`, which ends with a signature field, to the transcript: signs what lies before the
// field with the transcript up to there, and puts the signature in its place.
void sign_and_add(Transcript& transcript, MutableBytes record, std::string_view label,
                  const crypto::HybridSigner& signer, Entropy& entropy);
// The same for a record of the other side. kBadSignature, kBadPublicKey.
Result<void> verify_and_add(Transcript& transcript, Bytes record, std::string_view label,
                            const crypto::HybridPublic& signer,
                            const crypto::HybridSignature& signature);

// 0 to `max` with equal chances; `max` is 2^n - 1 (checked).
std::size_t random_padding(Entropy& entropy, std::size_t max);

}  // namespace karst::keys
