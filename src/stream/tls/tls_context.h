#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "crypto/digest.h"
#include "stream/tls/error.h"

namespace karst::stream::tls {

// Whom a client believes. There is no third choice: verification is never skipped.
//
// A chain to an authority of `ca_pem` (certificates in PEM; empty: the system's store, read once
// when the context is made, without looking at the environment), valid at the time given to the
// connection, for ClientConfig::server_name.
struct PublicTrust {
  std::string ca_pem;
};
// A server whose certificate carries exactly this key: SHA-256 over its DER SubjectPublicKeyInfo.
// Names, dates and issuer do not count, so that a wrong clock cannot lock a client out.
struct PinnedKey {
  crypto::Sha256Digest spki{};
};

struct ClientConfig {
  std::variant<PublicTrust, PinnedKey> trust;
  // A DNS name or the text of an IP address. Under PublicTrust it must not be empty. A DNS name is
  // sent as SNI; an address never is; empty sends none.
  std::string server_name;
};

// A certificate chain (leaf first) and the leaf's private key, unencrypted, both PEM.
struct KeyPairPem {
  std::string_view certificate;
  std::string_view key;
};

// What connections of one role share: versions (TLS 1.3 only), groups, certificates, trust. No
// tickets, no early data, no session cache, no key log. Connections keep what they need of it
// alive, so a server changes its certificate (SIGHUP) by assigning a new context over the old one:
// later connections get the new one. One thread at a time.
class TlsContext {
 public:
  // kBadTrustStore or kBadServerName.
  static Result<TlsContext> client(const ClientConfig& config);
  // kBadKeyPair.
  static Result<TlsContext> server(const KeyPairPem& key_pair);

  ~TlsContext();
  TlsContext(TlsContext&&) noexcept;
  TlsContext& operator=(TlsContext&&) noexcept;

  struct State;  // context_state.h

 private:
  friend class TlsConnection;
  explicit TlsContext(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace karst::stream::tls
