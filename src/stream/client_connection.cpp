#include "stream/client_connection.h"

#include <utility>

#include "keys/admission.h"
#include "keys/labels.h"

namespace karst::stream {

ClientConnection::ClientConnection(const ClientConnectionConfig& config, keys::FrontSecret front,
                                   keys::ClientCredential credential, const Moment& moment)
    : config_(config),
      front_(std::move(front)),
      credential_(std::move(credential)),
      tls_(*config.tls, moment.wall),
      now_(moment.now),
      deadline_(moment.now + kSetupTime) {}

void ClientConnection::fail(const Error& error) {
  if (!error_) error_ = error;
}

void ClientConnection::start_http() {
  if (session_ || !tls_.handshake_done()) return;
  if (tls_.alpn() != tls::Alpn::h2) return fail(kNotHttp2);
  http2::Visitor& visitor = *this;
  session_.emplace(http2::ClientSettings{}, visitor);
  const http2::RequestHead page{
      .method = "GET",
      .authority = config_.authority,
      .scheme = "https",
      .path = "/",
      .protocol = {},
      .fields = {{"accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
                 {"accept-language", "en-US,en;q=0.9"}},
      .oversized = false};
  const auto stream = session_->request(page, nullptr);
  if (!stream.ok()) return fail(stream.error());
  page_ = *stream;
}

void ClientConnection::on_settings() {
  if (!page_due_ && !tunnel_) page_due_ = now_ + kPageTime;
}

void ClientConnection::open_socket() {
  if (tunnel_ || error_) return;
  page_due_.reset();
  if (!session_->peer_allows_connect()) return fail(kNoWebSocket);
  const auto exporter = tls_.exporter(keys::kTlsExporterLabel);
  const auto cookie =
      keys::make_admission_cookie(*front_, keys::TlsExporter::from_bytes(exporter.expose()),
                                  config_.authority, *config_.link.entropy);
  tunnel_.emplace(config_.link, std::move(*std::exchange(front_, std::nullopt)),
                  std::move(*std::exchange(credential_, std::nullopt)),
                  keys::TlsExporter::from_bytes(exporter.expose()));
  const http2::RequestHead socket{.method = "CONNECT",
                                  .authority = config_.authority,
                                  .scheme = "https",
                                  .path = config_.socket_path,
                                  .protocol = "websocket",
                                  .fields = {{"sec-websocket-version", "13"},
                                             {"origin", "https://" + config_.authority},
                                             {"cookie", cookie, true}},
                                  .oversized = false};
  const auto stream = session_->request(socket, &tunnel_->body());
  if (!stream.ok()) return fail(stream.error());
  socket_ = *stream;
}

void ClientConnection::on_response(http2::StreamId stream, http2::ResponseHead head) {
  if (stream == page_) {
    page_answered_ = true;
    return open_socket();
  }
  if (stream != socket_) return;
  if (head.status != 200) return fail(Error(kNotATunnel, head.status));
  // What arrives is handed on at once and bounded by the multiplexer's own credit.
  session_->set_local_window(http2::kConnection, config_.tunnel_window);
  session_->set_local_window(socket_, config_.tunnel_window);
}

void ClientConnection::on_data(http2::StreamId stream, Bytes bytes) {
  session_->consume(stream, bytes.size());
  if (stream != socket_ || error_ || tunnel_->body().closing()) return;
  const auto handled = tunnel_->handle_bytes(bytes, now_);
  if (!handled.ok()) fail(handled.error());
  session_->resume(socket_);
}

void ClientConnection::on_end(http2::StreamId stream) {
  if (stream == socket_ && !tunnel_->body().closing()) fail(tunnel_->handle_end().error());
}

void ClientConnection::on_closed(http2::StreamId stream, std::uint32_t code) {
  if (stream == page_ && !page_answered_ && !tunnel_) fail(Error(kNoWebSocket, code));
  if (stream != socket_ || socket_ == 0) return;
  socket_ = 0;
  if (!tunnel_->body().closing()) fail(kServerLeft);
}

void ClientConnection::on_goaway(http2::StreamId, std::uint32_t code) {
  fail(Error(kServerLeft, code));
}

void ClientConnection::commit_input(std::size_t filled, const Moment& moment) {
  now_ = moment.now;
  if (closed_ || error_) return;
  const auto fed = tls_.commit_input(filled);
  if (!fed.ok()) return fail(fed.error());
  start_http();
  while (session_ && !error_) {
    const auto read = tls_.read(config_.scratch->read);
    if (!read.ok()) return fail(read.error());
    if (*read == 0) break;
    const auto handled = session_->feed(Bytes(config_.scratch->read).first(*read));
    if (!handled.ok()) fail(handled.error());
  }
  if (tls_.peer_closed()) fail(kServerLeft);
}

void ClientConnection::handle_input_end(const Moment& moment) {
  now_ = moment.now;
  const auto ended = tls_.feed_end();
  fail(ended.ok() ? Error(kServerLeft) : ended.error());
}

void ClientConnection::produce(const Moment& moment) {
  now_ = moment.now;
  const MutableBytes block = config_.scratch->block;
  while (session_ && !closed_ && !tls_.error() && tls_.output_bytes() < kOutputTarget) {
    if (tunnel_) tunnel_->body().set_now(now_);
    const std::size_t size = session_->poll_output(block);
    if (size == 0) break;
    const auto written = tls_.write(block.first(size));
    if (!written.ok()) return fail(written.error());
  }
  if (session_ && session_->error()) fail(*session_->error());
  if (link() != nullptr && link()->error()) fail(*link()->error());
}

std::optional<ClientTunnel::Event> ClientConnection::poll_event() {
  if (!tunnel_) return std::nullopt;
  auto event = tunnel_->poll_event();
  if (event && std::holds_alternative<ClientTunnel::Up>(*event)) up_ = true;
  return event;
}

std::optional<UnixTime> ClientConnection::server_time() const {
  return tunnel_ ? tunnel_->server_time() : std::nullopt;
}

void ClientConnection::resume() {
  if (session_ && socket_ != 0) session_->resume(socket_);
}

std::int32_t ClientConnection::stream_credit() const {
  return session_ && socket_ != 0 ? session_->remote_window(socket_) : 0;
}

std::int32_t ClientConnection::connection_credit() const {
  return session_ ? session_->remote_window(http2::kConnection) : 0;
}

void ClientConnection::close(const Moment& moment) {
  if (closed_) return;
  if (tunnel_) tunnel_->body().close(websocket::kCloseGoingAway);
  if (session_) {
    resume();
    produce(moment);
    session_->close(http2::kNoError);
    produce(moment);
  }
  closed_ = true;
  if (tls_.handshake_done() && !tls_.error()) tls_.close_notify();
}

std::optional<TimePoint> ClientConnection::next_deadline() const {
  if (error_ || closed_) return std::nullopt;
  std::optional<TimePoint> deadline;
  if (!up_) deadline = deadline_;
  if (page_due_ && *page_due_ < deadline_) deadline = page_due_;
  auto* link = const_cast<ClientConnection*>(this)->link();
  const auto of_link = link != nullptr ? link->next_deadline() : std::nullopt;
  if (of_link && (!deadline || *of_link < *deadline)) deadline = of_link;
  return deadline;
}

void ClientConnection::handle_deadline(const Moment& moment) {
  now_ = moment.now;
  if (!up_ && now_ >= deadline_) fail(kSetupTimeout);
  if (page_due_ && now_ >= *page_due_) open_socket();
  Link* const running = link();
  if (running == nullptr || error_) return;
  const auto deadline = running->next_deadline();
  if (!deadline || *deadline > now_) return;
  const auto handled = running->handle_deadline(now_);
  if (!handled.ok()) fail(handled.error());
  resume();
}

}  // namespace karst::stream
