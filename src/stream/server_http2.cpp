#include "stream/server_http2.h"

#include <algorithm>
#include <utility>

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

bool ServerHttp2::begin_tunnel(http2::StreamId stream, const http2::RequestHead& head) {
  if (head.protocol != "websocket" || head.path != shared_.socket_path || tunnel_) return false;
  if (head.oversized) return false;
  const auto cookies = http2::find_field(head.fields, "cookie").value_or("");
  if (cookies.empty()) return false;
  auto access = gate_.admit(cookies, head.authority, *shared_.front, moment_.wall);
  if (!access.ok()) {
    if (!access.error().is(keys::kProofMissing)) {
      (*shared_.trace)(kTraceProofRefused, {{"reason", access.error().kind().name},
                                            {"client", source_.text()}});
    }
    return false;
  }
  tunnel_.emplace(shared_.link, std::move(*access), source_);
  tunnel_stream_ = stream;
  tunnel_head_ = head;
  session_.respond(stream, {.status = 200, .fields = {}, .oversized = false}, &tunnel_->body());
  return true;
}

void ServerHttp2::on_request(http2::StreamId stream, http2::RequestHead head) {
  if (begin_tunnel(stream, head)) return;
  site_.on_request(stream, std::move(head), moment_);
}

void ServerHttp2::on_data(http2::StreamId stream, Bytes bytes) {
  if (stream != tunnel_stream_ || handed_over_) return site_.on_data(stream, bytes, moment_);
  session_.consume(stream, bytes.size());
  if (tunnel_->body().closing()) return;
  const bool was_peer = tunnel_->peer() != nullptr;
  const auto verdict = tunnel_->handle_bytes(bytes, moment_.now, moment_.wall);
  if (!verdict.ok()) {
    const Error error = verdict.error();
    if (!was_peer && !error.is(kClientClosed)) {
      const auto claimed = tunnel_->claimed();
      (*shared_.trace)(kTraceClientRefused,
                       {{"reason", error.kind().name},
                        {"node", claimed ? wire::format_node_id(*claimed) : std::string("unknown")},
                        {"client", source_.text()}});
    }
    return end_tunnel(error);
  }
  if (*verdict == ServerTunnel::Verdict::not_a_tunnel) return hand_over();
  session_.resume(stream);
}

void ServerHttp2::hand_over() {
  const Error why = tunnel_->refusal().value_or(kUnexpectedMessage);
  (*shared_.trace)(kTraceNotATunnel,
                   {{"reason", why.kind().name}, {"client", source_.text()}});
  handed_over_ = true;
  site_.adopt_socket(*tunnel_stream_, std::move(*tunnel_head_), tunnel_->received(), moment_);
  tunnel_->body().delegate_to(site_.body_of(*tunnel_stream_));
}

void ServerHttp2::end_tunnel(const Error& why) {
  if (tunnel_->peer() != nullptr) {
    (*shared_.trace)(kTraceTunnelEnded, {{"client", tunnel_->peer()->name()},
                                         {"reason", why.kind().name}});
  }
  tunnel_->body().close(websocket::kClosePolicy);
  if (tunnel_stream_) session_.resume(*tunnel_stream_);
}

void ServerHttp2::refuse_tunnel(const Error& why) {
  if (tunnel_ && !handed_over_ && !tunnel_->body().closing()) end_tunnel(why);
}

void ServerHttp2::on_end(http2::StreamId stream) {
  if (stream != tunnel_stream_ || handed_over_) return site_.on_end(stream, moment_);
  if (!tunnel_->body().closing()) end_tunnel(kClientClosed);
}

void ServerHttp2::on_closed(http2::StreamId stream, std::uint32_t) {
  if (stream == tunnel_stream_) {
    if (!handed_over_) {
      if (!tunnel_->body().closing()) end_tunnel(kClientClosed);
      // Whoever had a tunnel has no use for the connection without it.
      tunnel_stream_.reset();
      session_.close(http2::kNoError);
      return;
    }
    tunnel_stream_.reset();
  }
  site_.on_closed(stream);
}

void ServerHttp2::pump(const cover::Moment& moment) {
  moment_ = moment;
  site_.pump(moment);
}

std::size_t ServerHttp2::poll_output(MutableBytes space, const cover::Moment& moment) {
  moment_ = moment;
  if (tunnel_) tunnel_->body().set_now(moment.now);
  return session_.poll_output(space);
}

void ServerHttp2::resume_tunnel() {
  if (tunnel_stream_ && !handed_over_) session_.resume(*tunnel_stream_);
}

bool ServerHttp2::poll_peer_up() {
  if (!tunnel_ || handed_over_ || !tunnel_->poll_event()) return false;
  session_.set_local_window(http2::kConnection, shared_.tunnel_window);
  if (tunnel_stream_) session_.set_local_window(*tunnel_stream_, shared_.tunnel_window);
  (*shared_.trace)(kTraceClientUp, {{"client", tunnel_->peer()->name()},
                                    {"address", source_.text()}});
  return true;
}

std::int32_t ServerHttp2::stream_credit() const {
  return tunnel_stream_ ? session_.remote_window(*tunnel_stream_) : 0;
}

void ServerHttp2::drain() {
  if (tunnel_ && tunnel_->link() != nullptr && tunnel_open()) {
    tunnel_->link()->mux().go_away(wire::GoAwayReason::shutdown);
    resume_tunnel();
  } else {
    close();
  }
}

void ServerHttp2::close() { session_.close(http2::kNoError); }

std::optional<TimePoint> ServerHttp2::next_deadline() const {
  auto deadline = site_.next_deadline();
  if (tunnel_ && tunnel_open()) {
    const auto* link = const_cast<ServerTunnel&>(*tunnel_).link();
    const auto of_link = link != nullptr ? link->next_deadline() : std::nullopt;
    if (of_link && (!deadline || *of_link < *deadline)) deadline = of_link;
  }
  return deadline;
}

void ServerHttp2::handle_deadline(const cover::Moment& moment) {
  moment_ = moment;
  site_.handle_deadline(moment);
  Link* link = tunnel_ && tunnel_open() ? tunnel_->link() : nullptr;
  if (link == nullptr) return;
  const auto deadline = link->next_deadline();
  if (!deadline || *deadline > moment.now) return;
  const auto handled = link->handle_deadline(moment.now);
  if (!handled.ok()) return end_tunnel(handled.error());
  resume_tunnel();
}

}  // namespace karst::stream
