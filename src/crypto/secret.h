#pragma once

#include <openssl/crypto.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/check.h"
#include "base/entropy.h"

namespace karst::crypto {

// N secret bytes of one kind. Not copyable; a move wipes its source; destruction wipes. There is
// no comparison (crypto/ct.h) and no formatter: the bytes are reached only through expose(), so
// that every place that touches them can be found by name. `Tag` is an empty type that keeps two
// kinds of secrets from being swapped.
template <std::size_t N, class Tag>
class Secret {
 public:
  static constexpr std::size_t kBytes = N;

  // All zero; to be filled through expose_mutable().
  Secret() = default;
  ~Secret() { wipe(); }
  Secret(Secret&& other) noexcept : bytes_(other.bytes_) { other.wipe(); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      bytes_ = other.bytes_;
      other.wipe();
    }
    return *this;
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  static Secret random(Entropy& entropy) {
    Secret secret;
    entropy.fill(secret.bytes_);
    return secret;
  }
  // `bytes` has exactly N; the caller wipes its own copy.
  static Secret from_bytes(Bytes bytes) {
    CHECK(bytes.size() == N);
    Secret secret;
    copy_bytes(secret.bytes_, bytes);
    return secret;
  }
  // A deliberate copy, named so that it can be found.
  Secret duplicate() const { return from_bytes(bytes_); }

  std::span<const std::uint8_t, N> expose() const { return bytes_; }
  std::span<std::uint8_t, N> expose_mutable() { return bytes_; }
  void wipe() { OPENSSL_cleanse(bytes_.data(), N); }

 private:
  std::array<std::uint8_t, N> bytes_{};
};

// Overwrites bytes that held something secret, in a way the compiler may not remove.
inline void wipe(MutableBytes bytes) { OPENSSL_cleanse(bytes.data(), bytes.size()); }

}  // namespace karst::crypto
