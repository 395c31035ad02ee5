#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "crypto/aead.h"
#include "crypto/kdf.h"
#include "crypto/secret.h"
#include "keys/link_secrets.h"
#include "keys/policy.h"

namespace karst::keys {

// What an epoch's root gives to those who seal and open: chain(e, 0) on the stream carrier,
// packet_key(e) on the datagram carrier. docs/protocol/ratchet.md "Derivation".
using EpochSecret = crypto::Secret<32, struct EpochSecretTag>;

EpochSecret derive_epoch_secret(const EpochRoot& root, Carrier carrier, crypto::AeadKind aead);

// The chain of one epoch of the stream carrier: gives each record its one-use key. What it holds
// is always what comes next; a value that was used is gone, also from OpenSSL's context.
// One thread.
class RecordChain {
 public:
  static constexpr std::size_t kKeyBytes = crypto::kAeadKeyBytes;
  static constexpr std::size_t kNonceBytes = crypto::kAeadNonceBytes;
  // key | nonce of one record.
  using RecordKey = crypto::Secret<kKeyBytes + kNonceBytes, struct RecordKeyTag>;

  // Wipes `secret`.
  void start(EpochSecret&& secret);
  void next(RecordKey& out);
  void wipe();

 private:
  // Keyed with chain(e, n); the chain has no other copy.
  crypto::Hmac hmac_;
};

// A chain with the AEAD that its keys are for; AES-256-GCM. It holds the key of the record that is
// due, never one that has been used.
template <class Aead>
class ChainedAead {
 public:
  // Begins an epoch; wipes `secret`. What was held before is gone.
  void start(EpochSecret&& secret) {
    chain_.start(std::move(secret));
    load_next();
  }
  void wipe() {
    chain_.wipe();
    key_.wipe();
    load_key();
  }

 protected:
  void load_next() {
    chain_.next(key_);
    load_key();
  }
  auto nonce() const { return key_.expose().template last<RecordChain::kNonceBytes>(); }

  Aead aead_{crypto::AeadKind::aes_256_gcm};

 private:
  void load_key() { aead_.set_key(key_.expose().template first<RecordChain::kKeyBytes>()); }

  RecordChain chain_;
  RecordChain::RecordKey key_;
};

class SealingChain : public ChainedAead<crypto::AeadSealer> {
 public:
  // Encrypts `text` in place with `header` as associated data, and goes on to the next key.
  void seal(Bytes header, MutableBytes text, std::span<std::uint8_t, crypto::kAeadTagBytes> tag) {
    aead_.seal(nonce(), header, text, tag);
    load_next();
  }
};

class OpeningChain : public ChainedAead<crypto::AeadOpener> {
 public:
  // Decrypts `text` in place and goes on to the next key. crypto::kNotAuthentic leaves the chain
  // where it was and `text` wiped.
  Result<void> open(Bytes header, MutableBytes text,
                    std::span<const std::uint8_t, crypto::kAeadTagBytes> tag) {
    TRY(aead_.open(nonce(), header, text, tag));
    load_next();
    return {};
  }
};

}  // namespace karst::keys
