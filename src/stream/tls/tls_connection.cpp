#include "stream/tls/tls_connection.h"

#include <openssl/err.h>

#include <utility>

#include "base/check.h"
#include "stream/tls/context_state.h"
#include "stream/tls/queue_bio.h"

namespace karst::stream::tls {
namespace {

// Key updates and tickets a peer may send beyond one per MiB of data. OpenSSL and browsers send
// none and none; BoringSSL-based servers two tickets at the start.
constexpr std::uint64_t kSpareHandshakeMessages = 32;
constexpr std::uint64_t kBytesPerHandshakeMessage = 1024 * 1024;

}  // namespace

struct TlsConnection::State {
  // Keeps the pin that OpenSSL's callback compares with.
  std::shared_ptr<const TlsContext::State> context;
  CipherQueues queues;
  SslPtr ssl;
  bool handshake_done = false;
  bool peer_closed = false;
  bool closed = false;
  bool shut_down = false;  // close_notify has been written
  ByteQueue waiting;       // plaintext that cannot be written yet
  std::optional<Error> error;
  // Of the peer, after the handshake.
  std::uint64_t handshake_messages = 0;
  std::uint64_t data_bytes = 0;

  Error fail(const Error& why) {
    if (!error) error = why;
    queues.in.clear();
    waiting.clear();
    return *error;
  }
  Error fail_from_library();
  Result<void> carry_handshake_on();
  Result<bool> write_piece(Bytes plaintext);
  Result<void> write_what_waits();
  bool flooded() const {
    return handshake_messages > kSpareHandshakeMessages + data_bytes / kBytesPerHandshakeMessage;
  }
};

namespace {

void count_handshake_messages(int written, int, int content_type, const void*, std::size_t, SSL*,
                              void* argument) {
  if (written == 0 && content_type == SSL3_RT_HANDSHAKE) ++*static_cast<std::uint64_t*>(argument);
}

Error verification_error(const TlsContext::State& context, long result) {
  if (context.pin) return kPinMismatch;
  switch (result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return {kCertificateDates, result};
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return {kWrongHost, result};
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return {kUntrustedCertificate, result};
    default:
      return {kBadCertificate, result};
  }
}

void expect_server(SSL* ssl, const TlsContext::State& context, UnixTime now) {
  const std::string& name = context.server_name;
  if (!name.empty() && !context.server_address) {
    // What SSL_set_tlsext_host_name() stands for, without its old-style cast.
    CHECK(SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                   const_cast<char*>(name.c_str())) == 1);
  }
  if (context.pin) return;
  X509_VERIFY_PARAM* expected = SSL_get0_param(ssl);
  X509_VERIFY_PARAM_set_time(expected, now.seconds);
  X509_VERIFY_PARAM_set_hostflags(expected, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (context.server_address) {
    const Bytes address = context.server_address->bytes();
    CHECK(X509_VERIFY_PARAM_set1_ip(expected, address.data(), address.size()) == 1);
  } else {
    CHECK(X509_VERIFY_PARAM_set1_host(expected, name.data(), name.size()) == 1);
  }
}

}  // namespace

// Called after a call into OpenSSL failed for good; names why from its error queue.
Error TlsConnection::State::fail_from_library() {
  const int reason = ERR_GET_REASON(ERR_peek_error());
  ERR_clear_error();
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return fail(verification_error(*context, SSL_get_verify_result(ssl.get())));
  }
  return fail(error_of_reason(reason));
}

// OpenSSL writes nothing while the peer's message after the handshake (a key update, a ticket) has
// come in part only; the rest comes through read().
Result<void> TlsConnection::State::write_what_waits() {
  while (!waiting.empty()) {
    const Bytes piece = waiting.front();
    TRY_ASSIGN(const bool written, write_piece(piece));
    if (!written) return {};
    waiting.consume(piece.size());
  }
  if (closed && !shut_down) shut_down = SSL_shutdown(ssl.get()) >= 0;
  ERR_clear_error();
  return {};
}

// All of it, or nothing of it for now.
Result<bool> TlsConnection::State::write_piece(Bytes plaintext) {
  ERR_clear_error();
  std::size_t written = 0;
  const int outcome = SSL_write_ex(ssl.get(), plaintext.data(), plaintext.size(), &written);
  if (outcome == 1) {
    CHECK(written == plaintext.size());
    return true;
  }
  if (SSL_get_error(ssl.get(), outcome) == SSL_ERROR_WANT_READ) return false;
  return fail_from_library();
}

Result<void> TlsConnection::State::carry_handshake_on() {
  ERR_clear_error();
  const int outcome = SSL_do_handshake(ssl.get());
  if (outcome == 1) {
    handshake_done = true;
    handshake_messages = 0;
    return {};
  }
  switch (SSL_get_error(ssl.get(), outcome)) {
    case SSL_ERROR_WANT_READ:
      return {};
    case SSL_ERROR_ZERO_RETURN:
      return fail({kAlertReceived, SSL_AD_CLOSE_NOTIFY});
    default:
      return fail_from_library();
  }
}

TlsConnection::TlsConnection(const TlsContext& context, UnixTime now)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.context = context.state_;
  state.ssl.reset(SSL_new(context.state_->ssl_ctx.get()));
  CHECK(state.ssl != nullptr);
  SSL* ssl = state.ssl.get();
  BIO* bio = make_queue_bio(state.queues).release();
  SSL_set_bio(ssl, bio, bio);  // takes over one reference when both are the same
  SSL_set_msg_callback(ssl, count_handshake_messages);
  SSL_set_msg_callback_arg(ssl, &state.handshake_messages);
  if (context.state_->role == TlsContext::State::Role::server) {
    SSL_set_accept_state(ssl);
    return;
  }
  expect_server(ssl, *context.state_, now);
  SSL_set_connect_state(ssl);
  CHECK(state.carry_handshake_on().ok());
}

TlsConnection::~TlsConnection() = default;
TlsConnection::TlsConnection(TlsConnection&&) noexcept = default;
TlsConnection& TlsConnection::operator=(TlsConnection&&) noexcept = default;

Result<void> TlsConnection::feed(Bytes ciphertext) {
  if (state_->error) return *state_->error;
  if (state_->peer_closed || ciphertext.empty()) return {};
  state_->queues.in.append(ciphertext);
  return state_->handshake_done ? Result<void>{} : state_->carry_handshake_on();
}

MutableBytes TlsConnection::input_space() { return state_->queues.in.prepare(); }

Result<void> TlsConnection::commit_input(std::size_t filled) {
  if (state_->error) return *state_->error;
  state_->queues.in.commit(state_->peer_closed ? 0 : filled);
  return state_->handshake_done || filled == 0 ? Result<void>{} : state_->carry_handshake_on();
}

Result<void> TlsConnection::feed_end() {
  if (state_->error) return *state_->error;
  if (state_->peer_closed) return {};
  return state_->fail(kTruncated);
}

Result<std::size_t> TlsConnection::read(MutableBytes space) {
  State& state = *state_;
  if (state.error) return *state.error;
  if (!state.handshake_done || state.peer_closed || space.empty()) return std::size_t{0};
  ERR_clear_error();
  std::size_t count = 0;
  const int outcome = SSL_read_ex(state.ssl.get(), space.data(), space.size(), &count);
  if (state.flooded()) return state.fail(kHandshakeFlood);
  if (outcome == 1) {
    state.data_bytes += count;
    TRY(state.write_what_waits());
    return count;
  }
  switch (SSL_get_error(state.ssl.get(), outcome)) {
    case SSL_ERROR_WANT_READ:
      TRY(state.write_what_waits());
      return std::size_t{0};
    case SSL_ERROR_ZERO_RETURN:
      state.peer_closed = true;
      state.queues.in.clear();
      return std::size_t{0};
    default:
      return state.fail_from_library();
  }
}

Result<void> TlsConnection::write(Bytes plaintext) {
  State& state = *state_;
  if (state.error) return *state.error;
  if (state.closed) return kClosed;
  CHECK(state.handshake_done);
  if (plaintext.empty()) return {};
  if (state.waiting.empty()) {
    TRY_ASSIGN(const bool written, state.write_piece(plaintext));
    if (written) return {};
  }
  state.waiting.append(plaintext);
  return {};
}

Bytes TlsConnection::output() const { return state_->queues.out.front(); }
std::size_t TlsConnection::gather_output(std::span<Bytes> runs) const {
  return state_->queues.out.gather(runs);
}
void TlsConnection::consume_output(std::size_t count) { state_->queues.out.consume(count); }
std::size_t TlsConnection::output_bytes() const {
  return state_->queues.out.size() + state_->waiting.size();
}

std::size_t TlsConnection::buffer_bytes() const {
  return state_->queues.in.footprint() + state_->queues.out.footprint();
}

void TlsConnection::release_buffers() {
  state_->queues.in.release_spare();
  state_->queues.out.release_spare();
}

bool TlsConnection::handshake_done() const { return state_->handshake_done; }

Alpn TlsConnection::alpn() const {
  CHECK(state_->handshake_done);
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(state_->ssl.get(), &name, &size);
  return as_text({name, size}) == "h2" ? Alpn::h2 : Alpn::http11;
}

Exporter TlsConnection::exporter(std::string_view label) const {
  CHECK(state_->handshake_done);
  Exporter exporter;
  const auto space = exporter.expose_mutable();
  CHECK(SSL_export_keying_material(state_->ssl.get(), space.data(), space.size(), label.data(),
                                   label.size(), nullptr, 0, 0) == 1);
  return exporter;
}

std::string_view TlsConnection::group() const {
  CHECK(state_->handshake_done);
  const char* name = SSL_get0_group_name(state_->ssl.get());
  return name == nullptr ? std::string_view{} : name;
}

std::string_view TlsConnection::cipher() const {
  CHECK(state_->handshake_done);
  return SSL_CIPHER_get_name(SSL_get_current_cipher(state_->ssl.get()));
}

void TlsConnection::close_notify() {
  if (state_->error || state_->closed) return;
  state_->closed = true;
  if (!state_->handshake_done) return;
  // It has no error that matters now: SSL_shutdown() is all it can come to.
  if (state_->waiting.empty()) static_cast<void>(state_->write_what_waits().ok());
}

bool TlsConnection::peer_closed() const { return state_->peer_closed; }
const std::optional<Error>& TlsConnection::error() const { return state_->error; }

}  // namespace karst::stream::tls
