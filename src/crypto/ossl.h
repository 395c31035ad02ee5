#pragma once

// Owning handles for OpenSSL objects; for crypto/ and stream/tls/ only.

#include <openssl/evp.h>

#include <memory>

namespace karst::crypto {

template <auto Free>
struct OsslDelete {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using PkeyPtr = std::unique_ptr<EVP_PKEY, OsslDelete<EVP_PKEY_free>>;
using PkeyCtxPtr = std::unique_ptr<EVP_PKEY_CTX, OsslDelete<EVP_PKEY_CTX_free>>;
using CipherPtr = std::unique_ptr<EVP_CIPHER, OsslDelete<EVP_CIPHER_free>>;
using CipherCtxPtr = std::unique_ptr<EVP_CIPHER_CTX, OsslDelete<EVP_CIPHER_CTX_free>>;
using DigestPtr = std::unique_ptr<EVP_MD, OsslDelete<EVP_MD_free>>;
using DigestCtxPtr = std::unique_ptr<EVP_MD_CTX, OsslDelete<EVP_MD_CTX_free>>;
using MacPtr = std::unique_ptr<EVP_MAC, OsslDelete<EVP_MAC_free>>;
using MacCtxPtr = std::unique_ptr<EVP_MAC_CTX, OsslDelete<EVP_MAC_CTX_free>>;
using SignaturePtr = std::unique_ptr<EVP_SIGNATURE, OsslDelete<EVP_SIGNATURE_free>>;

}  // namespace karst::crypto
