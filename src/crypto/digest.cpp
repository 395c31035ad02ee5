#include "crypto/digest.h"

#include "base/check.h"
#include "crypto/ossl.h"

namespace karst::crypto {
namespace {

const EVP_MD* sha256_algorithm() {
  static const DigestPtr algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr));
  return algorithm.get();
}

std::array<std::uint8_t, 4> big_endian_length(std::size_t size) {
  CHECK(size <= 0xffffffffu);
  return {static_cast<std::uint8_t>(size >> 24), static_cast<std::uint8_t>(size >> 16),
          static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size)};
}

}  // namespace

struct Sha256::Context {
  DigestCtxPtr digest{EVP_MD_CTX_new()};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  CHECK(context_->digest != nullptr);
  CHECK(EVP_DigestInit_ex2(context_->digest.get(), sha256_algorithm(), nullptr) == 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(Bytes data) {
  CHECK(EVP_DigestUpdate(context_->digest.get(), data.data(), data.size()) == 1);
}

void Sha256::update_prefixed(Bytes data) {
  update(big_endian_length(data.size()));
  update(data);
}

Sha256Digest Sha256::current() const {
  const DigestCtxPtr copy(EVP_MD_CTX_new());
  Sha256Digest out;
  unsigned length = 0;
  CHECK(copy != nullptr && EVP_MD_CTX_copy_ex(copy.get(), context_->digest.get()) == 1);
  CHECK(EVP_DigestFinal_ex(copy.get(), out.data(), &length) == 1 && length == out.size());
  return out;
}

Sha256Digest sha256(std::initializer_list<Bytes> parts) {
  Sha256 hash;
  for (Bytes part : parts) hash.update(part);
  return hash.current();
}

std::array<std::uint8_t, 20> sha1(Bytes data) {
  std::array<std::uint8_t, 20> out;
  unsigned length = 0;
  CHECK(EVP_Digest(data.data(), data.size(), out.data(), &length, EVP_sha1(), nullptr) == 1);
  CHECK(length == out.size());
  return out;
}

}  // namespace karst::crypto
