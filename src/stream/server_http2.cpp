#include "stream/server_http2.h"

#include <algorithm>
#include <utility>

#include "stream/cover/limits.h"
#include "stream/link_end.h"
#include "stream/websocket/handshake.h"
#include "wire/node_id.h"

namespace karst::stream {

ServerHttp2::ServerHttp2(const ServerShared& shared, cover::ConnectionKey key,
                         const IpAddress& source, tls::Exporter exporter)
    : shared_(shared),
      source_(source),
      gate_(keys::TlsExporter::from_bytes(exporter.expose())),
      session_({}, *this),
      site_(session_, *shared.site, key, source.text()) {}

Result<void> ServerHttp2::feed(Bytes plaintext, const cover::Moment& moment) {
  moment_ = moment;
  return session_.feed(plaintext);
}

bool ServerHttp2::is_candidate(const http2::RequestHead& head) {
  const bool oversized = head.oversized || head.fields.size() > cover::kHeadersMax;
  if (shared_.front == nullptr || oversized) return false;
  if (head.protocol != "websocket" || head.path != shared_.socket_path) return false;
  const std::string cookies = http2::joined_cookies(head.fields);
  auto access = gate_.admit(cookies, head.authority, *shared_.front, moment_.wall);
  if (access.ok()) {
    // The gate admits once, so there is no tunnel yet.
    tunnel_.emplace(shared_.link, std::move(*access), source_);
    return true;
  }
  if (!access.error().is(keys::kProofMissing)) {
    const std::string source = source_.text();
    (*shared_.trace)(kTraceProofRefused, {{"reason", access.error().kind().name},
                                          {"client", std::string_view(source)}});
  }
  return false;
}

// A socket with a good proof is the site's like any other until a good M1 has come, so that it
// cannot be told from one without.
void ServerHttp2::on_request(http2::StreamId stream, http2::RequestHead head) {
  if (is_candidate(head)) tunnel_stream_ = stream;
  site_.on_request(stream, std::move(head), moment_);
}

void ServerHttp2::on_data(http2::StreamId stream, Bytes bytes) {
  if (stream != tunnel_stream_) return site_.on_data(stream, bytes, moment_);
  if (!tunnel_->is_tunnel()) return decide(stream, bytes);
  if (tunnel_->body().closing()) return session_.consume(stream, bytes.size());
  const auto verdict = tunnel_->handle_bytes(bytes, moment_.now, moment_.wall);
  held_credit_ += bytes.size();
  // The stream's window, which is that of any stream before a peer is up, then bounds what is held.
  if (!tunnel_->holding()) return_credit();
  if (!verdict.ok()) return end_tunnel(verdict.error());
  session_.resume(stream);
}

void ServerHttp2::return_credit() {
  if (tunnel_stream_) session_.consume(*tunnel_stream_, std::exchange(held_credit_, 0));
}

void ServerHttp2::decide(http2::StreamId stream, Bytes bytes) {
  const std::size_t before = tunnel_->received().size();
  const auto verdict = tunnel_->handle_bytes(bytes, moment_.now, moment_.wall);
  if (verdict.ok() && *verdict == ServerTunnel::Verdict::undecided) return;
  if (verdict.ok() && *verdict == ServerTunnel::Verdict::not_a_tunnel) {
    const Error why = tunnel_->refusal().value_or(kUnexpectedMessage);
    const std::string source = source_.text();
    (*shared_.trace)(kTraceNotATunnel,
                     {{"reason", why.kind().name}, {"client", std::string_view(source)}});
    tunnel_stream_.reset();
    return site_.on_data(stream, tunnel_->received(), moment_);
  }
  // Nobody else takes these bytes any more.
  session_.consume(stream, before + bytes.size());
  site_.take_over(stream, tunnel_->body());
  tunnel_deadline_ = moment_.now + kAdmissionTime;
  if (!verdict.ok()) return end_tunnel(verdict.error());
  session_.resume(stream);
}

// A client that leaves because it was told to has not ended the tunnel.
const ErrorKind& ServerHttp2::cause(const Error& end) {
  const Link* link = tunnel_->link();
  const auto told = link != nullptr ? link->mux().goaway_sent() : std::nullopt;
  return end.is(kClientClosed) && told ? link_end(*told) : end.kind();
}

void ServerHttp2::end_tunnel(const Error& why) {
  const auto* peer = tunnel_->peer();
  if (peer != nullptr) {
    const std::string_view name = peer->name();
    (*shared_.trace)(kTraceTunnelEnded, {{"client", name}, {"reason", cause(why).name}});
  } else if (!why.is(kClientClosed)) {
    const auto claimed = tunnel_->claimed();
    const std::string node = claimed ? claimed->text() : "unknown";
    const std::string source = source_.text();
    (*shared_.trace)(kTraceClientRefused, {{"reason", why.kind().name},
                                           {"node", std::string_view(node)},
                                           {"client", std::string_view(source)}});
  }
  tunnel_->close(websocket::kClosePolicy, moment_.now);
  tunnel_deadline_ = moment_.now + kTunnelEndTime;
  if (tunnel_stream_) session_.resume(*tunnel_stream_);
}

void ServerHttp2::handle_outcome(const keys::ChangeOutcome& outcome, TimePoint now) {
  if (!tunnel_runs()) return;
  moment_.now = now;
  const auto handled = tunnel_->handle_outcome(outcome, now);
  if (!handled.ok()) end_tunnel(handled.error());
  resume_tunnel();
}

void ServerHttp2::on_end(http2::StreamId stream) {
  if (stream != tunnel_stream_) return site_.on_end(stream, moment_);
  if (!tunnel_->is_tunnel()) {
    // Half a message and the end: the site's.
    tunnel_stream_.reset();
    site_.on_data(stream, tunnel_->received(), moment_);
    return site_.on_end(stream, moment_);
  }
  if (!tunnel_->body().closing()) end_tunnel(kClientClosed);
}

void ServerHttp2::on_closed(http2::StreamId stream, std::uint32_t) {
  site_.on_closed(stream);
  if (stream != tunnel_stream_) return;
  const bool was_tunnel = tunnel_->is_tunnel();
  if (was_tunnel && !tunnel_->body().closing()) end_tunnel(kClientClosed);
  return_credit();
  if (!was_tunnel) session_.consume(stream, tunnel_->received().size());
  tunnel_stream_.reset();
  // Whoever had a tunnel has no use for the connection without it.
  if (was_tunnel) session_.close(http2::kNoError);
}

void ServerHttp2::pump(const cover::Moment& moment) {
  moment_ = moment;
  site_.pump(moment);
}

std::size_t ServerHttp2::poll_output(MutableBytes space, const cover::Moment& moment) {
  moment_ = moment;
  if (tunnel_) tunnel_->body().set_now(moment.now);
  std::size_t size = session_.poll_output(space);
  // A link may find while it makes records that it cannot go on.
  const Link* link = tunnel_runs() ? tunnel_->link() : nullptr;
  if (link == nullptr || !link->error()) return size;
  end_tunnel(*link->error());
  // Nobody asks again after nothing.
  if (size == 0) size = session_.poll_output(space);
  return size;
}

void ServerHttp2::resume_tunnel() {
  if (tunnel_open()) session_.resume(*tunnel_stream_);
}

bool ServerHttp2::poll_peer_up() {
  if (!tunnel_ || !tunnel_->poll_event() || !tunnel_runs()) return false;
  tunnel_deadline_.reset();
  return_credit();
  session_.set_local_window(http2::kConnection, shared_.tunnel_window);
  if (tunnel_stream_) session_.set_local_window(*tunnel_stream_, shared_.tunnel_window);
  const std::string source = source_.text();
  const std::string_view name = tunnel_->peer()->name();
  (*shared_.trace)(kTraceClientUp, {{"client", name}, {"address", std::string_view(source)}});
  return true;
}

std::int32_t ServerHttp2::stream_credit() const {
  return tunnel_stream_ ? session_.remote_window(*tunnel_stream_) : 0;
}

void ServerHttp2::drain() {
  if (tunnel_open() && tunnel_->link() != nullptr) {
    tunnel_->link()->mux().go_away(wire::GoAwayReason::shutdown);
    resume_tunnel();
  } else {
    close();
  }
}

void ServerHttp2::close() { session_.close(http2::kNoError); }

std::optional<TimePoint> ServerHttp2::next_deadline() const {
  auto deadline = site_.next_deadline();
  if (tunnel_deadline_ && tunnel_open() && (!deadline || *tunnel_deadline_ < *deadline)) {
    deadline = tunnel_deadline_;
  }
  if (tunnel_runs()) {
    const auto* link = const_cast<ServerTunnel&>(*tunnel_).link();
    const auto of_link = link != nullptr ? link->next_deadline() : std::nullopt;
    if (of_link && (!deadline || *of_link < *deadline)) deadline = of_link;
  }
  return deadline;
}

void ServerHttp2::handle_deadline(const cover::Moment& moment) {
  moment_ = moment;
  site_.handle_deadline(moment);
  if (tunnel_deadline_ && tunnel_open() && *tunnel_deadline_ <= moment.now) {
    tunnel_deadline_.reset();
    if (tunnel_->body().closing()) return close();
    return end_tunnel(kAdmissionTimeout);
  }
  Link* link = tunnel_runs() ? tunnel_->link() : nullptr;
  if (link == nullptr) return;
  const auto deadline = link->next_deadline();
  if (!deadline || *deadline > moment.now) return;
  const auto handled = link->handle_deadline(moment.now);
  if (!handled.ok()) return end_tunnel(handled.error());
  resume_tunnel();
}

}  // namespace karst::stream
