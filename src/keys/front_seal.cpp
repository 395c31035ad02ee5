#include "keys/front_seal.h"

#include <array>

#include "crypto/kdf.h"
#include "keys/labels.h"
#include "keys/seal_once.h"

namespace karst::keys {
namespace {

using FrontSealKey = crypto::Secret<32, struct FrontSealKeyTag>;
static_assert(kFrontSealTagBytes == kSealTagBytes);

FrontSealKey front_seal_key(const FrontSecret& secret, Bytes salt, std::string_view label,
                            Direction direction) {
  crypto::Secret<32, struct FrontSealExtractTag> extracted;
  crypto::hkdf_extract_prefixed(salt, {secret.expose()}, extracted.expose_mutable());
  const std::uint8_t direction_byte = static_cast<std::uint8_t>(direction);
  FrontSealKey key;
  crypto::hkdf_expand(extracted.expose(), {as_bytes(label), {&direction_byte, 1}},
                      key.expose_mutable());
  return key;
}

std::int64_t hour(UnixTime time) {
  const std::int64_t hours = time.seconds / 3600;
  return time.seconds % 3600 < 0 ? hours - 1 : hours;
}

}  // namespace

ByteVector seal_front_stream(const FrontSecret& secret, const TlsExporter& exporter,
                             Direction direction, Bytes text) {
  ByteVector out;
  out.reserve(text.size() + kSealTagBytes);
  seal_once(front_seal_key(secret, exporter.expose(), kStreamFrontSealLabel, direction).expose(),
            text, out);
  return out;
}

Result<ByteVector> open_front_stream(const FrontSecret& secret, const TlsExporter& exporter,
                                     Direction direction, Bytes sealed) {
  auto text = open_once(
      front_seal_key(secret, exporter.expose(), kStreamFrontSealLabel, direction).expose(), sealed);
  if (!text) return kFrontSealBroken;
  return std::move(*text);
}

ByteVector seal_front_datagram(const FrontSecret& secret, Direction direction, Bytes text,
                               Entropy& entropy) {
  ByteVector out(kFrontSaltBytes);
  entropy.fill(out);
  const auto key = front_seal_key(secret, out, kDatagramFrontSealLabel, direction);
  out.reserve(kFrontSaltBytes + text.size() + kSealTagBytes);
  seal_once(key.expose(), text, out);
  return out;
}

Result<ByteVector> open_front_datagram(const FrontSecret& secret, Direction direction,
                                       Bytes datagram) {
  if (datagram.size() < kFrontSaltBytes + kSealTagBytes) return kFrontSealBroken;
  const auto key =
      front_seal_key(secret, datagram.first(kFrontSaltBytes), kDatagramFrontSealLabel, direction);
  auto text = open_once(key.expose(), datagram.subspan(kFrontSaltBytes));
  if (!text) return kFrontSealBroken;
  return std::move(*text);
}

Result<OpenedDatagram> OpenedDatagram::open(const FrontSecrets& secrets, Bytes datagram,
                                            UnixTime now) {
  if (auto text = open_front_datagram(secrets.current(), Direction::client_to_server, datagram)) {
    return OpenedDatagram{DatagramAccess(secrets.generation(), secrets.current().duplicate()),
                          std::move(*text)};
  }
  const FrontSecret* previous = secrets.previous(now);
  if (previous == nullptr) return kFrontSealBroken;
  TRY_ASSIGN(ByteVector text,
             open_front_datagram(*previous, Direction::client_to_server, datagram));
  return OpenedDatagram{DatagramAccess(secrets.previous_generation(), previous->duplicate()),
                        std::move(text)};
}

bool hour_accepted(UnixTime stated, UnixTime now) {
  const std::int64_t difference = hour(stated) - hour(now);
  return difference >= -1 && difference <= 1;
}

}  // namespace karst::keys
