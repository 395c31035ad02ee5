#include "driver/server_session.h"

#include <algorithm>
#include <utility>

#include "driver/open_codes.h"

namespace karst::driver {
namespace {

// As patient as web servers commonly are with a client that takes nothing.
constexpr Duration kSilenceLimit = std::chrono::seconds(60);

// Bulk on long paths with a little loss needs it; where the system has no bbr the default stays.
std::string prefer_bbr(TcpStream& socket) { return socket.choose_congestion_control("bbr"); }

}  // namespace

ServerSession::ServerSession(std::unique_ptr<TcpStream> socket, ServerSessionShared& shared,
                             stream::cover::ConnectionKey key, Owner& owner)
    : shared_(shared),
      key_(key),
      remote_(socket->remote()),
      owner_(owner),
      congestion_control_(prefer_bbr(*socket)),
      connection_(*shared.stream, key, remote_, {shared.ports->now(), shared.ports->wall_time()}),
      carrier_(std::move(socket), connection_, kSilenceLimit, *shared.ports, *this),
      served_{{shared.udp_waiting_bytes, *shared.stream->link.budget},
              {*shared.ports, shared.look_ups}} {}

ServerSession::~ServerSession() {
  if (streams_) streams_->end_all(wire::ResetReason::going_away);
}

stream::Moment ServerSession::moment() const {
  return {shared_.ports->now(), shared_.ports->wall_time()};
}

const keys::PeerToken* ServerSession::peer() {
  auto* http2 = connection_.http2();
  return http2 != nullptr && http2->tunnel_runs() ? http2->tunnel()->peer() : nullptr;
}

stream::Link* ServerSession::link() {
  return peer() != nullptr ? connection_.http2()->tunnel()->link() : nullptr;
}

void ServerSession::wake() {
  connection_.wake(moment());
  carrier_.request_flush();
}

void ServerSession::handle_outcome(const keys::ChangeOutcome& outcome) {
  auto* http2 = connection_.http2();
  if (http2 == nullptr) return;
  http2->handle_outcome(outcome, shared_.ports->now());
  carrier_.request_flush();
  on_carrier_progress();
}

void ServerSession::peer_up() {
  up_since_ = shared_.ports->now();
  meter_.emplace(up_since_);
  sample(up_since_);
  streams_ = std::make_unique<LinkStreams>(link()->mux(), *shared_.ports, [this] {
    if (auto* http2 = connection_.http2()) http2->resume_tunnel();
    carrier_.request_flush();
  });
  streams_->set_pace(pace_of_client());
  streams_->set_link_handler(
      [this](const stream::mux::Event& event) { meter_->handle_event(event); });
  streams_->take_turns(*shared_.kem, *link());
  streams_->set_opened_handler([this](const stream::mux::Opened& opened) { serve(opened); });
  owner_.on_session_peer_up(*this);
  if (draining_) drain();
}

std::shared_ptr<Pace> ServerSession::pace_of_client() {
  const std::uint64_t rate = peer()->limits().bytes_per_second;
  if (rate == 0) return nullptr;
  std::erase_if(shared_.paces, [](const auto& entry) { return entry.second.expired(); });
  auto& shared = shared_.paces[peer()->node_id()];
  if (auto running = shared.lock()) return running;
  auto made = std::make_shared<Pace>(rate, *shared_.ports);
  shared = made;
  return made;
}

void ServerSession::serve(const stream::mux::Opened& opened) {
  const StreamId id = opened.stream;
  const auto done = [this, id] { egress_done(id); };
  if (!opened.open.target) {
    auto egress = std::make_unique<UdpEgress>(*streams_, id, *shared_.egress, served_.udp_waiting,
                                              served_.look_ups, *shared_.ports, done);
    UdpEgress& started = *egress;
    served_.egresses.emplace(id, std::move(egress));
    return started.start();
  }
  auto target = to_proxy_target(*opened.open.target);
  if (!target) {
    streams_->mux().refuse(id, wire::OpenCode::name_not_found);
    return streams_->request_flush();
  }
  auto egress = std::make_unique<TcpEgress>(std::move(*target), *streams_, id, *shared_.egress,
                                            served_.look_ups, *shared_.ports, done);
  TcpEgress& started = *egress;
  served_.egresses.emplace(id, std::move(egress));
  started.start();
}

void ServerSession::egress_done(StreamId stream) {
  served_.egresses.erase(stream);
  close_if_drained();
}

void ServerSession::close_if_drained() {
  if (!draining_ || !served_.egresses.empty() || connection_.over()) return;
  // What the streams queued last must still go out and be taken by the client's application.
  if (link() != nullptr && link()->mux().status().streams > 0) return;
  // The multiplexer's GOAWAY, which says why, before that of HTTP/2.
  connection_.produce(moment());
  connection_.close(moment());
  carrier_.request_flush();
}

void ServerSession::on_carrier_progress() {
  auto* http2 = connection_.http2();
  if (http2 != nullptr && http2->poll_peer_up()) peer_up();
  if (streams_ && link() != nullptr) {
    streams_->dispatch();
    http2->resume_tunnel();
  } else if (streams_) {
    streams_->end_all(wire::ResetReason::going_away);
  }
  carrier_.request_flush();
  owner_.on_session_progress();
}

void ServerSession::on_carrier_flushed(const CarrierSocket::Flush& flush) {
  auto* http2 = connection_.http2();
  if (meter_ && link() != nullptr) {
    meter_->observe(*link(), {http2->stream_credit(), http2->connection_credit()}, flush,
                    shared_.ports->now());
    // Room that was made by sending.
    streams_->dispatch();
  }
  close_if_drained();
  // What was sent made room in the site's exchanges, which their backend waits for.
  owner_.on_session_progress();
}

void ServerSession::on_carrier_closed(const std::optional<Error>&) {
  if (streams_) streams_->end_all(wire::ResetReason::going_away);
  owner_.on_session_closed(*this);
}

void ServerSession::sample(TimePoint now) {
  connection_.release_idle();
  if (!meter_ || link() == nullptr) return;
  meter_->sample(carrier_.socket(), congestion_control_, link()->mux(), now);
  carrier_.follow_path(meter_->tcp().rtt);
}

void ServerSession::drain() {
  draining_ = true;
  if (auto* http2 = connection_.http2()) {
    http2->drain();
  } else {
    connection_.close(moment());
  }
  carrier_.request_flush();
  close_if_drained();
}

void ServerSession::end(wire::GoAwayReason reason) {
  if (auto* running = link()) {
    running->mux().go_away(reason);
    connection_.http2()->resume_tunnel();
    connection_.produce(moment());
  }
  connection_.close(moment());
  carrier_.request_flush();
}

}  // namespace karst::driver
