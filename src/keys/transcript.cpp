#include "keys/transcript.h"

#include "base/check.h"
#include "keys/labels.h"
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

Transcript::Transcript(Carrier carrier, Bytes exporter) {
  CHECK(exporter.size() == (carrier == Carrier::stream ? TlsExporter::kBytes : 0));
  hash_.update_prefixed(as_bytes(kSuite));
  const std::uint8_t carrier_byte = static_cast<std::uint8_t>(carrier);
  hash_.update({&carrier_byte, 1});
  hash_.update_prefixed(exporter);
}

void sign_and_add(Transcript& transcript, MutableBytes record, std::string_view label,
                  const crypto::HybridSigner& signer, Entropy& entropy) {
  const Bytes before = wire::unsigned_part(record);
  transcript.add(before);
  wire::place_signature(record, signer.sign(signed_bytes(label, transcript.hash()), entropy));
  transcript.add(Bytes(record).subspan(before.size()));
}

Result<PeerVerified> verify_and_add(Transcript& transcript, Bytes record, std::string_view label,
                                    const crypto::HybridPublic& signer,
                                    const crypto::HybridSignature& signature) {
  const Bytes before = wire::unsigned_part(record);
  transcript.add(before);
  TRY(crypto::verify(signer, signed_bytes(label, transcript.hash()), signature));
  transcript.add(record.subspan(before.size()));
  return PeerVerified();
}

}  // namespace karst::keys
