#include "driver/proxy_connection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "driver/open_codes.h"

namespace karst::driver {

using namespace stream::proxy;

namespace {

// An answer to a client that sent too much must not be overtaken by a reset.
constexpr Duration kClosingTime = std::chrono::seconds(2);

}  // namespace

ProxyConnection::ProxyConnection(std::unique_ptr<TcpStream> socket, const EntryConfig& config,
                                 LinkGateway& gateway, Ports& ports, Callback done)
    : socket_(std::move(socket)),
      gateway_(gateway),
      ports_(ports),
      done_(std::move(done)),
      entry_(config, ports.now()),
      timer_(ports.make_timer([this] { handle_timer(); })) {
  socket_->set_handler(*this);
  update_interest();
  rearm();
}

ProxyConnection::~ProxyConnection() {
  gateway_.stop_waiting(*this);
  if (streams_ == nullptr || relay_) return;
  streams_->detach(stream_);
  // A stream that has ended both ways still sends what is queued on it.
  if (client_end_passed_ && end_told_) return;
  streams_->mux().reset(stream_, wire::ResetReason::cancelled);
  streams_->request_flush();
}

void ProxyConnection::on_readable() {
  std::array<std::uint8_t, 16 * 1024> space;
  if (udp_ || entry_.closing()) {
    // Nothing more is expected; the end of this connection is the end of the association.
    const auto read = socket_->read(space);
    if (read.ok() ? *read == 0 : !read.error().is(kWouldBlock)) finish();
    return;
  }
  const std::size_t room = std::min(entry_.client_room(), space.size());
  if (room == 0) return update_interest();
  const auto read = socket_->read(MutableBytes(space).first(room));
  if (!read.ok()) {
    if (!read.error().is(kWouldBlock)) finish();
    return;
  }
  if (*read == 0) {
    client_ended_ = true;
    // Without a request there is nothing left to do.
    const bool waits_for_stream = waiting_ && std::holds_alternative<ConnectRequest>(*waiting_);
    if (streams_ == nullptr && !waits_for_stream) return finish();
  } else {
    entry_.handle_client(Bytes(space).first(*read));
  }
  pump();
}

void ProxyConnection::on_writable() {
  blocked_ = false;
  pump();
}

void ProxyConnection::handle_events() {
  while (const auto event = entry_.poll_event()) {
    if (!std::holds_alternative<EntryFailed>(*event)) {
      begin(*event);
    } else if (streams_ != nullptr) {
      streams_->detach(stream_);
      streams_->mux().reset(stream_, wire::ResetReason::cancelled);
      std::exchange(streams_, nullptr)->request_flush();
    }
  }
}

void ProxyConnection::begin(const EntryEvent& request) {
  auto* streams = gateway_.streams();
  if (streams == nullptr) {
    waiting_ = request;
    wait_until_ = ports_.now() + kLinkWaitTime;
    return gateway_.wait_for_link(*this);
  }
  if (const auto* connect = std::get_if<ConnectRequest>(&request)) {
    begin_connect(connect->target, *streams);
  } else {
    begin_udp(std::get<UdpAssociateRequest>(request).expected_source.port, *streams);
  }
}

void ProxyConnection::begin_connect(const Target& target, LinkStreams& streams) {
  const auto opened = streams.mux().open({to_wire_target(target)});
  if (!opened.ok()) return answer(OpenResult::limit);
  streams_ = &streams;
  stream_ = *opened;
  socket_->reset_unless_shut();
  streams.attach(stream_, *this);
  streams.request_flush();
}

void ProxyConnection::on_link() {
  wait_until_.reset();
  begin(*std::exchange(waiting_, std::nullopt));
  pump();
}

void ProxyConnection::begin_udp(std::uint16_t source_port, LinkStreams& streams) {
  auto association =
      UdpAssociation::create(socket_->local().address, {socket_->remote().address, source_port},
                             streams, ports_, [this] { finish(); });
  if (!association.ok()) return answer(OpenResult::limit);
  udp_ = std::move(*association);
  answer(OpenResult::ok, udp_->bound());
}

void ProxyConnection::answer(OpenResult result, const Endpoint& bound) {
  entry_.handle_result(result, bound);
}

void ProxyConnection::on_answered(const wire::OpenResult& result) {
  if (result.code != wire::OpenCode::ok) streams_ = nullptr;
  answer(to_open_result(result.code), result.bound.value_or(Endpoint{}));
  pump();
}

void ProxyConnection::on_stream_readable() { pump(); }
void ProxyConnection::on_stream_writable() { pump(); }

void ProxyConnection::on_stream_finished() {
  stream_finished_ = true;
  pump();
}

void ProxyConnection::on_stream_ended(wire::ResetReason) {
  streams_ = nullptr;
  if (entry_.requested()) {
    answer(OpenResult::network_unreachable);
    return pump();
  }
  // What was already answered can only be broken off, so that nobody takes it for complete. What is
  // complete the kernel may still have to send.
  if (!write_shut_) socket_->abort_on_close();
  finish();
}

bool ProxyConnection::move_to_stream() {
  if (streams_ == nullptr) return false;
  ByteQueue& queue = entry_.to_server();
  bool moved = false;
  while (!queue.empty()) {
    const std::size_t sent = streams_->mux().send(stream_, queue.front());
    if (sent == 0) break;
    queue.consume(sent);
    moved = true;
  }
  if (queue.empty() && client_ended_ && !std::exchange(client_end_passed_, true)) {
    streams_->mux().finish(stream_);
    moved = true;
  }
  if (moved) streams_->request_flush();
  return moved;
}

bool ProxyConnection::move_from_stream() {
  if (streams_ == nullptr || (entry_.client_direct() && entry_.server_direct())) return false;
  bool moved = false;
  for (;;) {
    Bytes run;
    const std::size_t room = entry_.server_room();
    if (room == 0 || streams_->mux().received(stream_, {&run, 1}) == 0) break;
    const Bytes taken = run.first(std::min(run.size(), room));
    entry_.handle_server(taken);
    streams_->mux().consume_received(stream_, taken.size(), ports_.now());
    moved = true;
  }
  if (stream_finished_ && streams_->mux().received_bytes(stream_) == 0 &&
      !std::exchange(end_told_, true)) {
    entry_.handle_server_end();
    moved = true;
  }
  if (moved) streams_->request_flush();
  return moved;
}

bool ProxyConnection::write_client() {
  ByteQueue& queue = entry_.to_client();
  bool moved = false;
  while (!queue.empty() && !blocked_) {
    std::array<Bytes, 8> runs;
    const std::size_t count = queue.gather(runs);
    const auto written = socket_->write(std::span(runs).first(count));
    if (!written.ok()) {
      if (!written.error().is(kWouldBlock)) {
        finish();
        return false;
      }
      blocked_ = true;
      break;
    }
    queue.consume(*written);
    moved = true;
  }
  return moved;
}

void ProxyConnection::pump() {
  bool moved = true;
  while (moved && done_) {
    handle_events();
    moved = move_to_stream();
    moved = move_from_stream() || moved;
    moved = write_client() || moved;
  }
  if (!done_) return;
  if (streams_ != nullptr && entry_.client_direct() && entry_.server_direct() &&
      entry_.to_client().empty() && entry_.to_server().empty()) {
    return hand_over();
  }
  const bool all_written = entry_.to_client().empty();
  if ((entry_.closing() || end_told_) && all_written && !std::exchange(write_shut_, true)) {
    socket_->shutdown_write();
    if (entry_.closing()) wait_until_ = ports_.now() + kClosingTime;
  }
  if (end_told_ && all_written && client_end_passed_) return finish();
  update_interest();
  rearm();
}

void ProxyConnection::hand_over() {
  timer_->disarm();
  LinkStreams& streams = *std::exchange(streams_, nullptr);
  relay_ = std::make_unique<TcpRelay>(std::move(socket_), streams, stream_, ports_,
                                      [this] { finish(); });
  relay_->start({.stream = stream_finished_, .socket = client_ended_});
}

void ProxyConnection::update_interest() {
  if (!socket_) return;
  const bool read = !client_ended_ && (udp_ || entry_.closing() || entry_.client_room() > 0);
  const auto bits = static_cast<std::uint8_t>((read ? 1 : 0) | (blocked_ ? 2 : 0));
  socket_->set_interest(static_cast<Interest>(bits));
}

void ProxyConnection::rearm() {
  auto deadline = entry_.next_deadline();
  if (wait_until_ && (!deadline || *wait_until_ < *deadline)) deadline = wait_until_;
  if (deadline) {
    timer_->arm(*deadline);
  } else {
    timer_->disarm();
  }
}

void ProxyConnection::handle_timer() {
  const TimePoint now = ports_.now();
  if (wait_until_ && *wait_until_ <= now) {
    if (entry_.closing()) return finish();
    wait_until_.reset();
    waiting_.reset();
    gateway_.stop_waiting(*this);
    answer(OpenResult::network_unreachable);
    return pump();
  }
  entry_.handle_deadline(now);
  if (entry_.next_deadline() && *entry_.next_deadline() <= now) return finish();
  if (!entry_.next_deadline() && !streams_ && !waiting_ && !udp_) return finish();
  pump();
}

void ProxyConnection::finish() {
  if (socket_) socket_->set_interest(Interest::none);
  timer_->disarm();
  if (done_) std::exchange(done_, nullptr)();
}

}  // namespace karst::driver
