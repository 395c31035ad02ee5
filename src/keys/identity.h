#pragma once

#include <string_view>

#include "base/entropy.h"
#include "base/result.h"
#include "crypto/secret.h"
#include "crypto/sign.h"
#include "wire/node_id.h"

namespace karst::keys {

using wire::NodeId;

inline constexpr ErrorKind kBadIdentityFile{"keys", "bad-identity-file",
                                            "the file is not a karst identity"};

// "karst-identity-1:" | Ed25519 seed | ML-DSA seed in 128 lower-case hex digits | newline.
inline constexpr std::size_t kIdentityTextBytes = 17 + 128 + 1;
using IdentityText = crypto::Secret<kIdentityTextBytes, struct IdentityTextTag>;

// A new identity.
crypto::HybridSeed generate_identity(Entropy& entropy);
// The content of identity.key. The file's mode and its safe writing are the app's business.
IdentityText format_identity(const crypto::HybridSeed& seed);
// Exactly what format_identity() writes; the last newline may be missing.
Result<crypto::HybridSeed> parse_identity(std::string_view text);

NodeId node_id(const crypto::HybridPublic& identity);

// The own identity in use: signing keys and node id. The seed may be dropped afterwards. It is
// read only after construction; signing from two threads at once is allowed.
class Identity {
 public:
  explicit Identity(const crypto::HybridSeed& seed)
      : signer_(seed), node_id_(keys::node_id(signer_.public_key())) {}

  const NodeId& node_id() const { return node_id_; }
  const crypto::HybridPublic& public_key() const { return signer_.public_key(); }
  const crypto::HybridSigner& signer() const { return signer_; }

 private:
  crypto::HybridSigner signer_;
  NodeId node_id_;
};

}  // namespace karst::keys
