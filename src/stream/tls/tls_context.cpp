#include "stream/tls/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>
#include <utility>

#include "base/check.h"
#include "stream/tls/context_state.h"

namespace karst::stream::tls {
namespace {

// Both shares in the ClientHello, as browsers send them: a server without ML-KEM costs no round
// trip.
constexpr const char* kClientGroups = "*X25519MLKEM768:*X25519";
// In the order of browsers; servers follow it.
constexpr const char* kCipherSuites =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

// ALPN's wire form (RFC 7301 section 3.1), in order of preference.
constexpr std::array<unsigned char, 12> kAlpn{2,   'h', '2', 8,   'h', 't',
                                              't', 'p', '/', '1', '.', '1'};

Error library_error(const ErrorKind& kind) {
  const auto reason = ERR_GET_REASON(ERR_peek_error());
  ERR_clear_error();
  return {kind, reason};
}

// A private key is never asked for on a terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

BioPtr memory(std::string_view text) {
  BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  CHECK(bio != nullptr);
  return bio;
}

SslCtxPtr make_context(const SSL_METHOD* method) {
  SslCtxPtr context(SSL_CTX_new(method));
  CHECK(context != nullptr);
  SSL_CTX* ctx = context.get();
  CHECK(SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION) == 1);
  CHECK(SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1);
  CHECK(SSL_CTX_set_ciphersuites(ctx, kCipherSuites) == 1);
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  CHECK(SSL_CTX_set_num_tickets(ctx, 0) == 1);
  CHECK(SSL_CTX_set_max_early_data(ctx, 0) == 1);
  CHECK(SSL_CTX_set_recv_max_early_data(ctx, 0) == 1);
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(ctx, 1);
  return context;
}

int choose_alpn(SSL*, const unsigned char** out, unsigned char* out_bytes,
                const unsigned char* offered, unsigned offered_bytes, void*) {
  unsigned char* chosen = nullptr;
  const int found =
      SSL_select_next_proto(&chosen, out_bytes, kAlpn.data(), kAlpn.size(), offered, offered_bytes);
  *out = chosen;
  // A client that offers neither is answered in HTTP/1.1, which is what it gets without ALPN.
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// Stands in for the chain check when the key is pinned. That the server owns the key is proven by
// its CertificateVerify, which OpenSSL checks in any case.
int check_pin(X509_STORE_CTX* store, void* argument) {
  const auto& pin = *static_cast<const crypto::Sha256Digest*>(argument);
  if (spki_digest(X509_STORE_CTX_get0_cert(store)) == pin) {
    X509_STORE_CTX_set_error(store, X509_V_OK);
    return 1;
  }
  X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_UNTRUSTED);
  return 0;
}

Result<void> load_trust(SSL_CTX* ctx, std::string_view ca_pem) {
  X509_STORE* store = SSL_CTX_get_cert_store(ctx);
  if (ca_pem.empty()) {
    const bool loaded = X509_STORE_load_file(store, X509_get_default_cert_file()) == 1 ||
                        X509_STORE_load_path(store, X509_get_default_cert_dir()) == 1;
    if (!loaded) return library_error(kBadTrustStore);
    ERR_clear_error();
    return {};
  }
  const BioPtr bio = memory(ca_pem);
  std::size_t count = 0;
  while (X509Ptr authority{PEM_read_bio_X509(bio.get(), nullptr, no_passphrase, nullptr)}) {
    if (X509_STORE_add_cert(store, authority.get()) != 1) return library_error(kBadTrustStore);
    ++count;
  }
  if (count == 0) return library_error(kBadTrustStore);
  ERR_clear_error();
  return {};
}

Result<void> use_key_pair(SSL_CTX* ctx, const KeyPairPem& key_pair) {
  const BioPtr certificates = memory(key_pair.certificate);
  const X509Ptr leaf(PEM_read_bio_X509_AUX(certificates.get(), nullptr, no_passphrase, nullptr));
  if (leaf == nullptr || SSL_CTX_use_certificate(ctx, leaf.get()) != 1) {
    return library_error(kBadKeyPair);
  }
  while (X509Ptr link{PEM_read_bio_X509(certificates.get(), nullptr, no_passphrase, nullptr)}) {
    if (SSL_CTX_add0_chain_cert(ctx, link.get()) != 1) return library_error(kBadKeyPair);
    (void)link.release();
  }
  // The loop above ends with "no start line" at the end of the text; anything else is damage.
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return library_error(kBadKeyPair);
  }
  ERR_clear_error();
  const BioPtr key_text = memory(key_pair.key);
  const PkeyPtr key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, no_passphrase, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(ctx, key.get()) != 1 ||
      SSL_CTX_check_private_key(ctx) != 1) {
    return library_error(kBadKeyPair);
  }
  return {};
}

}  // namespace

TlsContext::TlsContext(std::shared_ptr<const State> state) : state_(std::move(state)) {}
TlsContext::~TlsContext() = default;
TlsContext::TlsContext(TlsContext&&) noexcept = default;
TlsContext& TlsContext::operator=(TlsContext&&) noexcept = default;

Result<TlsContext> TlsContext::client(const ClientConfig& config) {
  // What else failed on this thread is not why this may fail.
  ERR_clear_error();
  auto state = std::make_shared<State>();
  state->role = State::Role::client;
  state->ssl_ctx = make_context(TLS_client_method());
  state->server_name = config.server_name;
  state->server_address = IpAddress::parse(config.server_name);
  SSL_CTX* ctx = state->ssl_ctx.get();
  CHECK(SSL_CTX_set1_groups_list(ctx, kClientGroups) == 1);
  CHECK(SSL_CTX_set_alpn_protos(ctx, kAlpn.data(), kAlpn.size()) == 0);
  SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, nullptr);
  if (const auto* pinned = std::get_if<PinnedKey>(&config.trust)) {
    state->pin = pinned->spki;
    SSL_CTX_set_cert_verify_callback(ctx, check_pin, &*state->pin);
  } else {
    if (config.server_name.empty()) return kBadServerName;
    TRY(load_trust(ctx, std::get<PublicTrust>(config.trust).ca_pem));
  }
  return TlsContext(std::move(state));
}

Result<TlsContext> TlsContext::server(const KeyPairPem& key_pair) {
  ERR_clear_error();
  auto state = std::make_shared<State>();
  state->role = State::Role::server;
  state->ssl_ctx = make_context(TLS_server_method());
  TRY(use_key_pair(state->ssl_ctx.get(), key_pair));
  SSL_CTX_set_alpn_select_cb(state->ssl_ctx.get(), choose_alpn, nullptr);
  return TlsContext(std::move(state));
}

}  // namespace karst::stream::tls
