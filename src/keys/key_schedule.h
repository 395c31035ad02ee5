#pragma once

#include "base/bytes.h"
#include "crypto/ml_kem.h"
#include "crypto/secret.h"
#include "crypto/x25519.h"
#include "keys/client_psk.h"
#include "keys/front_secret.h"
#include "keys/link_secrets.h"
#include "keys/transcript.h"

// The key schedule of docs/protocol/session.md. Its stages are types: each is made from the one
// before and from what that stage must know, so a secret of the wrong stage does not compile.

namespace karst::keys {

using HandshakeKey = crypto::Secret<32, struct HandshakeKeyTag>;

PskLink derive_psk_link(const ClientPsk& psk, const TranscriptHash& t3);

// root_0: gives everything that outlives the handshake.
class SessionRoot {
 public:
  LinkSecrets link_secrets(PskLink psk_link) const;
  ClientPsk enrolled_psk() const;

 private:
  friend class HandshakeSecret;
  SessionRoot() = default;
  crypto::Secret<32, struct SessionRootTag> root_;
};

// hs: gives the two handshake keys.
class HandshakeSecret {
 public:
  HandshakeSecret(const TranscriptHash& t2c, const crypto::MlKemShared& ml_kem,
                  const crypto::X25519Shared& x25519, const FrontSecret& front);

  HandshakeKey client_key() const;
  HandshakeKey server_key() const;
  // Consumes hs. `exporter` is empty on the datagram carrier.
  SessionRoot mix(const PeerVerified& verified, const PskLink& psk_link, Bytes exporter,
                  const TranscriptHash& t3) &&;

 private:
  crypto::Secret<32, struct HandshakeSecretTag> hs_;
};

}  // namespace karst::keys
