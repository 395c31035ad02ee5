#include "crypto/aead.h"

#include <limits>

#include "crypto/ossl.h"
#include "crypto/secret.h"

namespace karst::crypto {
namespace {

const EVP_CIPHER* cipher_of(AeadKind kind) {
  // Fetched once: an implicit fetch on every key change would take a lock and search by name.
  static const CipherPtr aes(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr));
  static const CipherPtr chacha(EVP_CIPHER_fetch(nullptr, "ChaCha20-Poly1305", nullptr));
  return kind == AeadKind::aes_256_gcm ? aes.get() : chacha.get();
}

int checked_length(std::size_t size) {
  CHECK(size <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  return static_cast<int>(size);
}

}  // namespace

struct AeadSealer::Context {
  CipherCtxPtr cipher{EVP_CIPHER_CTX_new()};
};

AeadSealer::AeadSealer(AeadKind kind) : context_(std::make_unique<Context>()) {
  CHECK(context_->cipher != nullptr);
  CHECK(EVP_EncryptInit_ex2(context_->cipher.get(), cipher_of(kind), nullptr, nullptr, nullptr) ==
        1);
}
AeadSealer::~AeadSealer() = default;
AeadSealer::AeadSealer(AeadSealer&&) noexcept = default;
AeadSealer& AeadSealer::operator=(AeadSealer&&) noexcept = default;

void AeadSealer::set_key(std::span<const std::uint8_t, kAeadKeyBytes> key) {
  CHECK(EVP_EncryptInit_ex2(context_->cipher.get(), nullptr, key.data(), nullptr, nullptr) == 1);
}

void AeadSealer::seal(std::span<const std::uint8_t, kAeadNonceBytes> nonce, Bytes associated,
                      MutableBytes text, std::span<std::uint8_t, kAeadTagBytes> tag) {
  EVP_CIPHER_CTX* c = context_->cipher.get();
  int written = 0;
  CHECK(EVP_EncryptInit_ex2(c, nullptr, nullptr, nonce.data(), nullptr) == 1);
  if (!associated.empty()) {
    CHECK(EVP_EncryptUpdate(c, nullptr, &written, associated.data(),
                            checked_length(associated.size())) == 1);
  }
  if (!text.empty()) {
    CHECK(EVP_EncryptUpdate(c, text.data(), &written, text.data(), checked_length(text.size())) ==
          1);
  }
  CHECK(EVP_EncryptFinal_ex(c, tag.data(), &written) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, kAeadTagBytes, tag.data()) == 1);
}

struct AeadOpener::Context {
  CipherCtxPtr cipher{EVP_CIPHER_CTX_new()};
};

AeadOpener::AeadOpener(AeadKind kind) : context_(std::make_unique<Context>()) {
  CHECK(context_->cipher != nullptr);
  CHECK(EVP_DecryptInit_ex2(context_->cipher.get(), cipher_of(kind), nullptr, nullptr, nullptr) ==
        1);
}
AeadOpener::~AeadOpener() = default;
AeadOpener::AeadOpener(AeadOpener&&) noexcept = default;
AeadOpener& AeadOpener::operator=(AeadOpener&&) noexcept = default;

void AeadOpener::set_key(std::span<const std::uint8_t, kAeadKeyBytes> key) {
  CHECK(EVP_DecryptInit_ex2(context_->cipher.get(), nullptr, key.data(), nullptr, nullptr) == 1);
}

Result<void> AeadOpener::open(std::span<const std::uint8_t, kAeadNonceBytes> nonce,
                              Bytes associated, MutableBytes text,
                              std::span<const std::uint8_t, kAeadTagBytes> tag) {
  EVP_CIPHER_CTX* c = context_->cipher.get();
  int written = 0;
  std::array<std::uint8_t, kAeadTagBytes> expected;
  copy_bytes(expected, tag);
  CHECK(EVP_DecryptInit_ex2(c, nullptr, nullptr, nonce.data(), nullptr) == 1);
  if (!associated.empty()) {
    CHECK(EVP_DecryptUpdate(c, nullptr, &written, associated.data(),
                            checked_length(associated.size())) == 1);
  }
  if (!text.empty()) {
    CHECK(EVP_DecryptUpdate(c, text.data(), &written, text.data(), checked_length(text.size())) ==
          1);
  }
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, kAeadTagBytes, expected.data()) == 1);
  std::uint8_t unused[kAeadTagBytes];
  if (EVP_DecryptFinal_ex(c, unused, &written) != 1) {
    wipe(text);
    return kNotAuthentic;
  }
  return {};
}

}  // namespace karst::crypto
