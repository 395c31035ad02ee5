#include "keys/handshake_common.h"

#include "base/check.h"
#include "wire/handshake_codec.h"

namespace karst::keys {
namespace {

ByteVector signed_bytes(std::string_view label, const TranscriptHash& hash) {
  ByteVector out = to_vector(as_bytes(label));
  out.push_back(0);
  out.insert(out.end(), hash.begin(), hash.end());
  return out;
}

}  // namespace

void sign_and_add(Transcript& transcript, MutableBytes record, std::string_view label,
                  const crypto::HybridSigner& signer, Entropy& entropy) {
  const Bytes before = wire::unsigned_part(record);
  transcript.add(before);
  wire::place_signature(record, signer.sign(signed_bytes(label, transcript.hash()), entropy));
  transcript.add(Bytes(record).subspan(before.size()));
}

Result<void> verify_and_add(Transcript& transcript, Bytes record, std::string_view label,
                            const crypto::HybridPublic& signer,
                            const crypto::HybridSignature& signature) {
  const Bytes before = wire::unsigned_part(record);
  transcript.add(before);
  TRY(crypto::verify(signer, signed_bytes(label, transcript.hash()), signature));
  transcript.add(record.subspan(before.size()));
  return {};
}

std::size_t random_padding(Entropy& entropy, std::size_t max) {
  CHECK((max & (max + 1)) == 0 && max <= 0xffff);
  const auto bytes = entropy.bytes<2>();
  return (std::size_t{bytes[0]} << 8 | bytes[1]) & max;
}

}  // namespace karst::keys
