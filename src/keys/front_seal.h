#pragma once

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/front_secret.h"
#include "keys/handshake_error.h"
#include "keys/policy.h"
#include "keys/transcript.h"

// The front seal (docs/protocol/session.md): hides the handshake from everyone without the front
// secret, and lets a server throw away noise for the price of one hash and one AEAD open.

namespace karst::keys {

inline constexpr std::size_t kFrontSealTagBytes = 16;
inline constexpr std::size_t kFrontSaltBytes = 32;

// Stream carrier. The key is that of the TLS connection and direction, so each may seal once.
ByteVector seal_front_stream(const FrontSecret& secret, const TlsExporter& exporter,
                             Direction direction, Bytes text);
// kFrontSealBroken.
Result<ByteVector> open_front_stream(const FrontSecret& secret, const TlsExporter& exporter,
                                     Direction direction, Bytes sealed);

// Datagram carrier: salt | text | tag, each datagram by itself.
ByteVector seal_front_datagram(const FrontSecret& secret, Direction direction, Bytes text,
                               Entropy& entropy);
// kFrontSealBroken.
Result<ByteVector> open_front_datagram(const FrontSecret& secret, Direction direction,
                                       Bytes datagram);

// Proof that a datagram came from someone who holds a front secret.
class DatagramAccess {
 public:
  FrontGeneration generation() const { return generation_; }
  const FrontSecret& front_secret() const { return front_secret_; }

 private:
  friend struct OpenedDatagram;
  DatagramAccess(FrontGeneration generation, FrontSecret secret)
      : generation_(generation), front_secret_(std::move(secret)) {}

  FrontGeneration generation_;
  FrontSecret front_secret_;
};

// For the server: tries the current front secret, then the older one while it is accepted.
struct OpenedDatagram {
  // kFrontSealBroken when none opens it.
  static Result<OpenedDatagram> open(const FrontSecrets& secrets, Bytes datagram, UnixTime now);

  DatagramAccess access;
  ByteVector text;
};

// Whether a time that a client states lies in the previous, the current or the next hour of `now`.
bool hour_accepted(UnixTime stated, UnixTime now);

}  // namespace karst::keys
