#pragma once

// What a TlsContext holds; private to tls/.

#include <optional>
#include <string>

#include "base/ip.h"
#include "crypto/digest.h"
#include "stream/tls/handles.h"
#include "stream/tls/tls_context.h"

namespace karst::stream::tls {

struct TlsContext::State {
  enum class Role : std::uint8_t { client, server };

  Role role{};
  SslCtxPtr ssl_ctx;
  // Client only. No pin means PublicTrust.
  std::optional<crypto::Sha256Digest> pin;
  std::string server_name;
  std::optional<IpAddress> server_address;  // when server_name is one
};

// SHA-256 over the certificate's DER SubjectPublicKeyInfo.
crypto::Sha256Digest spki_digest(const X509* certificate);

}  // namespace karst::stream::tls
