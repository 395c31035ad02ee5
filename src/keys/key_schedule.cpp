#include "keys/key_schedule.h"

#include "crypto/kdf.h"
#include "keys/labels.h"

namespace karst::keys {
namespace {

template <class S, class Key>
S expand(const Key& key, std::string_view label) {
  S out;
  crypto::hkdf_expand(key.expose(), {as_bytes(label)}, out.expose_mutable());
  return out;
}

}  // namespace

PskLink derive_psk_link(const ClientPsk& psk, const TranscriptHash& t3) {
  crypto::Secret<32, struct PskExtractTag> extracted;
  crypto::hkdf_extract_prefixed(t3, {psk.expose()}, extracted.expose_mutable());
  return expand<PskLink>(extracted, kPskLinkLabel);
}

HandshakeSecret::HandshakeSecret(const TranscriptHash& t2c, const crypto::MlKemShared& ml_kem,
                                 const crypto::X25519Shared& x25519, const FrontSecret& front) {
  const auto front_key = expand<crypto::Secret<32, struct FrontKeyTag>>(front, kFrontKeyLabel);
  crypto::hkdf_extract_prefixed(t2c, {ml_kem.expose(), x25519.expose(), front_key.expose()},
                                hs_.expose_mutable());
}

HandshakeKey HandshakeSecret::client_key() const {
  return expand<HandshakeKey>(hs_, kClientHandshakeKeyLabel);
}
HandshakeKey HandshakeSecret::server_key() const {
  return expand<HandshakeKey>(hs_, kServerHandshakeKeyLabel);
}

SessionRoot HandshakeSecret::mix(const PeerVerified&, const PskLink& psk_link, Bytes exporter,
                                 const TranscriptHash& t3) && {
  SessionRoot root;
  crypto::hkdf_extract_prefixed(hs_.expose(), {psk_link.expose(), exporter, t3},
                                root.root_.expose_mutable());
  hs_.wipe();
  return root;
}

LinkSecrets SessionRoot::link_secrets(PskLink psk_link) const {
  return {expand<EpochRoot>(root_, kClientToServerRootLabel),
          expand<EpochRoot>(root_, kServerToClientRootLabel), std::move(psk_link),
          expand<ResumeKey>(root_, kResumeLabel)};
}

ClientPsk SessionRoot::enrolled_psk() const { return expand<ClientPsk>(root_, kEnrolledPskLabel); }

}  // namespace karst::keys
