#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/result.h"
#include "crypto/digest.h"
#include "crypto/secret.h"
#include "crypto/sign.h"
#include "keys/policy.h"

namespace karst::keys {

// 32 bytes of the TLS exporter (RFC 8446 section 7.5) with kTlsExporterLabel and an empty context:
// the stream carrier's connection, known to its two ends only.
using TlsExporter = crypto::Secret<32, struct TlsExporterTag>;
using TranscriptHash = crypto::Sha256Digest;

// The running hash of a handshake (docs/protocol/session.md, Transcript). Each record is added with
// its plaintext bytes as they travelled.
class Transcript {
 public:
  // `exporter` is empty on the datagram carrier and 32 bytes on the stream carrier (checked).
  Transcript(Carrier carrier, Bytes exporter);

  void add(Bytes record) { hash_.update(record); }
  TranscriptHash hash() const { return hash_.current(); }

 private:
  crypto::Sha256 hash_;
};

// Proof that the other side's signature over the transcript verified: without one there are no
// session keys. Only verify_and_add() makes it.
class PeerVerified {
 private:
  friend Result<PeerVerified> verify_and_add(Transcript& transcript, Bytes record,
                                             std::string_view label,
                                             const crypto::HybridPublic& signer,
                                             const crypto::HybridSignature& signature);
  PeerVerified() = default;
};

// Adds `record`, which ends with a signature field, to the transcript: signs what lies before the
// field with the transcript up to there, and puts the signature in its place.
void sign_and_add(Transcript& transcript, MutableBytes record, std::string_view label,
                  const crypto::HybridSigner& signer, Entropy& entropy);
// The same for a record of the other side. kBadSignature, kBadPublicKey.
Result<PeerVerified> verify_and_add(Transcript& transcript, Bytes record, std::string_view label,
                                    const crypto::HybridPublic& signer,
                                    const crypto::HybridSignature& signature);

}  // namespace karst::keys
