#include "keys/epoch_secret.h"

#include "keys/labels.h"

namespace karst::keys {

EpochSecret derive_epoch_secret(const EpochRoot& root, Carrier carrier, crypto::AeadKind aead) {
  EpochSecret secret;
  if (carrier == Carrier::stream) {
    crypto::hkdf_expand(root.expose(), {as_bytes(kChainLabel)}, secret.expose_mutable());
  } else {
    const auto kind = static_cast<std::uint8_t>(aead);
    crypto::hkdf_expand(root.expose(), {as_bytes(kPacketKeyLabel), Bytes(&kind, 1)},
                        secret.expose_mutable());
  }
  return secret;
}

void RecordChain::start(EpochSecret&& secret) {
  hmac_.set_key(secret.expose());
  secret.wipe();
}

void RecordChain::next(RecordKey& out) {
  crypto::Secret<kKeyBytes + kNonceBytes + crypto::kHashBytes, struct RecordStepTag> okm;
  crypto::hkdf_expand_keyed(hmac_, {as_bytes(kRecordLabel)}, okm.expose_mutable());
  const Bytes bytes = okm.expose();
  copy_bytes(out.expose_mutable(), bytes.first(out.kBytes));
  hmac_.set_key(bytes.subspan(out.kBytes));
}

void RecordChain::wipe() {
  constexpr std::array<std::uint8_t, crypto::kHashBytes> kZero{};
  hmac_.set_key(kZero);
}

}  // namespace karst::keys
