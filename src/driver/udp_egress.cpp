#include "driver/udp_egress.h"

#include <algorithm>
#include <array>
#include <utility>

namespace karst::driver {

using stream::proxy::EgressVerdict;

namespace {

constexpr std::size_t kNamesMax = 64;
constexpr std::size_t kWaitingMax = 8;
constexpr Duration kNameLife = std::chrono::seconds(60);
// Datagrams moved in one turn, per direction.
constexpr int kBatch = 64;

}  // namespace

class UdpEgress::Socket final : UdpSocket::Handler {
 public:
  Socket(UdpEgress& egress, std::unique_ptr<UdpSocket> socket)
      : egress_(egress), socket_(std::move(socket)) {
    socket_->set_handler(*this);
  }
  UdpSocket& udp() { return *socket_; }

 private:
  void on_readable() override { egress_.receive_from(*socket_); }

  UdpEgress& egress_;
  std::unique_ptr<UdpSocket> socket_;
};

UdpEgress::UdpEgress(LinkStreams& streams, StreamId stream,
                     const stream::proxy::EgressPolicy& policy, UdpWaiting& waiting,
                     LinkLookUps& look_ups, Ports& ports, Callback done)
    : streams_(&streams),
      stream_(stream),
      policy_(policy),
      waiting_(waiting),
      look_ups_(look_ups),
      ports_(ports),
      done_(std::move(done)) {
  streams_->attach(stream_, *this);
}

UdpEgress::~UdpEgress() {
  for (const auto& [name, entry] : names_) {
    for (const auto& [port, payload] : entry.waiting) waiting_.release(payload.size());
  }
  if (streams_ == nullptr) return;
  streams_->detach(stream_);
  streams_->mux().reset(stream_, wire::ResetReason::cancelled);
  streams_->request_flush();
}

void UdpEgress::start() {
  streams_->mux().accept(stream_, std::nullopt);
  streams_->request_flush();
  on_stream_readable();
}

void UdpEgress::on_stream_readable() {
  std::array<std::uint8_t, wire::kFramePayloadBytesMax> space;
  while (const auto datagram = streams_->mux().receive_datagram(stream_, space)) {
    const std::uint16_t port = datagram->peer.port;
    if (const auto* address = std::get_if<IpAddress>(&datagram->peer.host)) {
      send_to({*address, port}, datagram->payload);
    } else {
      const auto name = stream::proxy::HostName::parse(std::get<std::string>(datagram->peer.host));
      if (name) send_to_name(name->text(), port, datagram->payload);
    }
  }
}

void UdpEgress::send_to_name(const std::string& name, std::uint16_t port, Bytes payload) {
  auto found = names_.find(name);
  if (found != names_.end() && !found->second.lookup && found->second.good_until < ports_.now()) {
    names_.erase(found);
    found = names_.end();
  }
  if (found == names_.end()) {
    if (names_.size() >= kNamesMax) {
      std::erase_if(names_, [](const auto& entry) { return !entry.second.lookup; });
      if (names_.size() >= kNamesMax) return;
    }
    if (!look_ups_.has_room()) return;
    found = names_.emplace(name, Name{}).first;
    look_up(name, AddressFamily::v4);
  }
  if (found->second.address) return send_to({*found->second.address, port}, payload);
  if (found->second.lookup && found->second.waiting.size() < kWaitingMax &&
      waiting_.hold(payload.size())) {
    found->second.waiting.emplace_back(port, to_vector(payload));
  }
}

void UdpEgress::look_up(const std::string& name, AddressFamily family) {
  names_.at(name).lookup = look_ups_.look_up(
      name, family,
      [this, name](const Result<std::vector<IpAddress>>& answer) { handle_answer(name, answer); });
}

// By value: a new look-up of the name ends the callback that this is called from.
void UdpEgress::handle_answer(std::string name, const Result<std::vector<IpAddress>>& answer) {
  Name& entry = names_.at(name);
  if ((!answer.ok() || answer->empty()) && !std::exchange(entry.asked_v6, true)) {
    return look_up(name, AddressFamily::v6);
  }
  entry.lookup.reset();
  entry.good_until = ports_.now() + kNameLife;
  if (answer.ok() && !answer->empty()) entry.address = answer->front();
  for (const auto& [port, payload] : std::exchange(entry.waiting, {})) {
    waiting_.release(payload.size());
    if (entry.address) send_to({*entry.address, port}, payload);
  }
}

bool UdpEgress::paced(Pace::Direction direction, std::size_t bytes) {
  const auto& pace = streams_->pace();
  if (!pace) return true;
  if (pace->room(direction) < bytes) return false;
  pace->take(direction, bytes);
  return true;
}

void UdpEgress::send_to(const Endpoint& to, Bytes payload) {
  if (policy_.decide(to) != EgressVerdict::allowed) return;
  if (!paced(Pace::Direction::to_target, payload.size())) return;
  auto& socket = to.address.is_v4() ? v4_ : v6_;
  if (!socket) {
    const IpAddress any = to.address.is_v4() ? IpAddress() : IpAddress::v6({});
    auto opened = ports_.open_udp({any, 0});
    if (!opened.ok()) return;
    socket = std::make_unique<Socket>(*this, std::move(*opened));
  }
  if (socket->udp().send(payload, to).ok()) table_.handle_sent(to, ports_.now());
}

void UdpEgress::receive_from(UdpSocket& socket) {
  std::array<std::uint8_t, 65'536> space;
  for (int i = 0; i < kBatch; ++i) {
    const auto received = socket.receive(space);
    if (!received.ok()) break;
    if (!table_.handle_received(received->from, ports_.now())) continue;
    if (!paced(Pace::Direction::to_client, received->size)) continue;
    const wire::Datagram datagram{{received->from.address, received->from.port},
                                  Bytes(space).first(received->size)};
    // A datagram that fits no record is dropped, as by any narrow path.
    static_cast<void>(streams_->mux().send_datagram(stream_, datagram, ports_.now()));
  }
  streams_->request_flush();
}

void UdpEgress::on_stream_ended(wire::ResetReason) {
  streams_ = nullptr;
  finish();
}

void UdpEgress::finish() {
  if (done_) std::exchange(done_, nullptr)();
}

}  // namespace karst::driver
