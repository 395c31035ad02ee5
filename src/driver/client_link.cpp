#include "driver/client_link.h"

#include <utility>

#include "stream/link_end.h"
#include "stream/tls/error.h"

namespace karst::driver {
namespace {

// A server that says nothing for so long is better dialled anew.
constexpr Duration kSilenceLimit = std::chrono::seconds(30);
// With the kernel's own repetitions a second after each attempt, something asks for the server at
// least once a second as long as the path is dead.
constexpr Duration kDialAgain = std::chrono::milliseconds(1500);

// Whether no more is known than that the server has gone, politely or not.
bool is_departure(const Error& seen) {
  return seen.is(stream::kServerLeft) || seen.is(stream::kTunnelClosed) || seen.is(kReset) ||
         seen.is(stream::tls::kTruncated);
}

}  // namespace

ClientLink::ClientLink(const stream::ClientConnectionConfig& config, stream::proxy::Target server,
                       const stream::proxy::EgressPolicy& policy, keys::FrontSecret front,
                       keys::ClientCredential credential, Ports& ports, Owner& owner)
    : config_(config),
      server_(std::move(server)),
      front_(std::move(front)),
      credential_(std::move(credential)),
      ports_(ports),
      owner_(owner),
      dialer_(std::make_unique<Dialer>(
          server_, policy, ports,
          [this](std::unique_ptr<TcpStream> socket, stream::proxy::OpenResult result) {
            handle_dialed(std::move(socket), result);
          },
          stream::proxy::HappyEyeballsConfig{.again = kDialAgain})) {}

ClientLink::~ClientLink() {
  if (streams_) streams_->end_all(wire::ResetReason::going_away);
}

void ClientLink::handle_dialed(std::unique_ptr<TcpStream> socket,
                               stream::proxy::OpenResult result) {
  if (socket == nullptr) return go_down(Error(kCannotConnect, static_cast<int>(result)));
  phase_ = Phase::securing;
  congestion_control_ = socket->choose_congestion_control("bbr");
  connection_.emplace(config_, std::move(*std::exchange(front_, std::nullopt)),
                      std::move(*std::exchange(credential_, std::nullopt)), moment());
  CarrierSocket::Owner& owner = *this;
  carrier_.emplace(std::move(socket), *connection_, kSilenceLimit, ports_, owner);
}

void ClientLink::go_up(const keys::ClientSession& session) {
  phase_ = Phase::up;
  up_since_ = ports_.now();
  sample(up_since_);
  owner_.on_link_up(*this, session);
}

void ClientLink::become_usable() {
  meter_.emplace(ports_.now());
  streams_ = std::make_unique<LinkStreams>(connection_->link()->mux(), ports_, [this] {
    connection_->resume();
    carrier_->request_flush();
  });
  streams_->set_link_handler(
      [this](const stream::mux::Event& event) { meter_->handle_event(event); });
  owner_.on_link_usable(*this);
}

void ClientLink::on_carrier_progress() {
  if (!streams_ && connection_->link() != nullptr && !connection_->over()) become_usable();
  while (auto event = connection_->poll_event()) {
    if (const auto* up = std::get_if<stream::ClientTunnel::Up>(&*event)) {
      go_up(up->session);
    } else {
      owner_.on_link_enrolled(std::move(std::get<stream::ClientTunnel::Enrolled>(*event).psk));
    }
  }
  if (streams_) streams_->dispatch();
  connection_->resume();
  carrier_->request_flush();
}

void ClientLink::on_carrier_flushed(const CarrierSocket::Flush& flush) {
  if (!meter_) return owner_.on_link_flushed(*this);
  meter_->observe(*connection_->link(),
                  {connection_->stream_credit(), connection_->connection_credit()}, flush,
                  ports_.now());
  // Room that was made by sending.
  streams_->dispatch();
  owner_.on_link_flushed(*this);
}

void ClientLink::on_carrier_closed(const std::optional<Error>& error) {
  const Error seen = connection_->error().value_or(error.value_or(Error(stream::kServerLeft)));
  // What the server said before it left tells more than that it did.
  const auto said = link() != nullptr ? link()->mux().goaway_received() : std::nullopt;
  go_down(said && is_departure(seen) ? Error(stream::link_end(*said)) : seen);
}

void ClientLink::go_down(const Error& why) {
  phase_ = Phase::closing;
  if (streams_) streams_->end_all(wire::ResetReason::going_away);
  owner_.on_link_down(*this, why);
}

void ClientLink::sample(TimePoint now) {
  if (!meter_ || !carrier_ || phase_ == Phase::closing) return;
  meter_->sample(carrier_->socket(), congestion_control_, connection_->link()->mux(), now);
  carrier_->follow_path(meter_->tcp().rtt);
}

void ClientLink::close() {
  phase_ = Phase::closing;
  if (!connection_) return;
  connection_->close(moment());
  if (carrier_) carrier_->request_flush();
}

}  // namespace karst::driver
