#pragma once

// For tests and fuzzers: one value of each handshake record with every field set.

#include "base/prng.h"
#include "wire/m1.h"
#include "wire/m2.h"
#include "wire/m3.h"
#include "wire/ok.h"

namespace karst::wire {

inline void fill(Prng& prng, crypto::HybridPublic& identity) {
  prng.fill(identity.ed25519);
  prng.fill(identity.ml_dsa);
}
inline void fill(Prng& prng, crypto::HybridSignature& signature) {
  prng.fill(signature.ed25519);
  prng.fill(signature.ml_dsa);
}
inline bool same(const crypto::HybridSignature& a, const crypto::HybridSignature& b) {
  return a.ed25519 == b.ed25519 && a.ml_dsa == b.ml_dsa;
}

inline M1 sample_stream_m1() {
  Prng prng(1);
  M1 m1;
  prng.fill(m1.nonce);
  prng.fill(m1.x25519);
  prng.fill(m1.ml_kem);
  m1.rekey_window = 512;
  m1.policy = {262'144, 512, 500};
  m1.capabilities = {.aes = true, .fec = false, .stream_carrier = true, .datagram_carrier = true};
  m1.padding = 5;
  return m1;
}
inline M1 sample_datagram_m1() {
  M1 m1 = sample_stream_m1();
  m1.datagram = {UnixTime{1'800'000'000}, ReceiverId{0xabcdef}};
  return m1;
}
inline M2Clear sample_m2_clear() {
  Prng prng(2);
  M2Clear m2;
  prng.fill(m2.x25519);
  prng.fill(m2.ml_kem);
  return m2;
}
inline M2Sealed sample_m2_sealed() {
  Prng prng(3);
  M2Sealed m2;
  fill(prng, m2.identity);
  fill(prng, m2.signature);
  m2.receiver = ReceiverId{0x123456};
  m2.time = {1'800'000'001};
  m2.rekey_window = 64;
  m2.policy = {67'108'864, 65'536, 10'000};
  m2.capabilities = {.aes = false, .fec = true, .stream_carrier = true, .datagram_carrier = false};
  m2.aead = crypto::AeadKind::chacha20_poly1305;
  m2.limits = {300, 60};
  m2.padding = 7;
  return m2;
}
inline M3 sample_m3(const PskSelector& psk) {
  Prng prng(4);
  M3 m3;
  fill(prng, m3.identity);
  fill(prng, m3.signature);
  m3.psk = psk;
  m3.padding = 1;
  return m3;
}
inline Ok sample_ok() {
  Ok ok;
  Prng(5).fill(ok.session_id);
  ok.rekey_window = 64;
  ok.policy = {262'144, 512, 500};
  ok.limits = {100, 1'000'000};
  ok.ipv4 = {IpAddress::v4({10, 77, 0, 2}), 24};
  ok.ipv6 = {*IpAddress::parse("fd77::2"), 64};
  ok.padding = 9;
  return ok;
}

}  // namespace karst::wire
