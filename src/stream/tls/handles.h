#pragma once

// Owning handles for OpenSSL's TLS and certificate objects; private to tls/.

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

#include "crypto/ossl.h"

namespace karst::stream::tls {

using crypto::OsslDelete;
using crypto::PkeyPtr;
using BioPtr = std::unique_ptr<BIO, OsslDelete<BIO_free>>;
using SslPtr = std::unique_ptr<SSL, OsslDelete<SSL_free>>;
using SslCtxPtr = std::unique_ptr<SSL_CTX, OsslDelete<SSL_CTX_free>>;
using X509Ptr = std::unique_ptr<X509, OsslDelete<X509_free>>;

}  // namespace karst::stream::tls
