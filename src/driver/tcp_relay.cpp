#include "driver/tcp_relay.h"

#include <array>
#include <utility>

namespace karst::driver {
namespace {

// Work of one socket in one turn of the loop: enough to fill what the link sends in a turn, little
// enough that a hundred busy sockets still turn often.
constexpr std::size_t kReadBudget = 256 * 1024;
constexpr std::size_t kWriteBudget = 1024 * 1024;

}  // namespace

TcpRelay::TcpRelay(std::unique_ptr<TcpStream> socket, LinkStreams& streams, StreamId stream,
                   Ports& ports, Callback done)
    : socket_(std::move(socket)),
      streams_(&streams),
      stream_(stream),
      ports_(ports),
      done_(std::move(done)) {
  socket_->set_handler(*this);
  streams_->attach(stream_, *this);
}

TcpRelay::~TcpRelay() {
  if (streams_ == nullptr) return;
  streams_->detach(stream_);
  if (reading_ || writing_) {
    streams_->mux().reset(stream_, wire::ResetReason::cancelled);
    streams_->request_flush();
  }
}

void TcpRelay::start(Ended ended) {
  finished_ = ended.stream;
  reading_ = !ended.socket;
  update_interest();
  write_socket();
}

void TcpRelay::update_interest() {
  const bool read = reading_ && !read_paused_;
  const auto bits = static_cast<std::uint8_t>((read ? 1 : 0) | (write_blocked_ ? 2 : 0));
  socket_->set_interest(static_cast<Interest>(bits));
}

void TcpRelay::fail(wire::ResetReason reason) {
  streams_->detach(stream_);
  streams_->mux().reset(stream_, reason);
  streams_->request_flush();
  reading_ = writing_ = false;
  finish();
}

void TcpRelay::on_readable() {
  stream::mux::Mux& mux = streams_->mux();
  std::size_t total = 0;
  while (reading_ && total < kReadBudget) {
    const MutableBytes space = mux.prepare_send(stream_);
    if (space.empty()) {
      read_paused_ = true;
      break;
    }
    const auto read = socket_->read(space);
    mux.commit_send(stream_, read.ok() ? *read : 0);
    if (!read.ok()) {
      if (read.error().is(kWouldBlock)) break;
      return fail(wire::ResetReason::connection_reset);
    }
    total += *read;
    if (*read == 0) {
      reading_ = false;
      mux.finish(stream_);
    }
  }
  streams_->request_flush();
  update_interest();
  finish_if_done();
}

void TcpRelay::on_stream_writable() {
  read_paused_ = false;
  update_interest();
}

void TcpRelay::on_writable() {
  write_blocked_ = false;
  write_socket();
}

void TcpRelay::on_stream_finished() {
  finished_ = true;
  write_socket();
}

void TcpRelay::write_socket() {
  if (write_blocked_ || !writing_) return;
  stream::mux::Mux& mux = streams_->mux();
  std::array<Bytes, 16> runs;
  std::size_t total = 0;
  while (total < kWriteBudget) {
    const std::size_t count = mux.received(stream_, runs);
    if (count == 0) break;
    const auto written = socket_->write(std::span(runs).first(count));
    if (!written.ok()) {
      if (!written.error().is(kWouldBlock)) return fail(wire::ResetReason::connection_reset);
      write_blocked_ = true;
      break;
    }
    mux.consume_received(stream_, *written, ports_.now());
    total += *written;
  }
  // The budget is spent: the rest follows when the loop says that the socket still takes bytes.
  if (total >= kWriteBudget) write_blocked_ = true;
  if (total > 0) streams_->request_flush();
  if (finished_ && mux.received_bytes(stream_) == 0) {
    writing_ = false;
    socket_->shutdown_write();
    streams_->request_flush();
  }
  update_interest();
  finish_if_done();
}

void TcpRelay::on_stream_ended(wire::ResetReason) {
  streams_ = nullptr;
  if (reading_ || writing_) socket_->abort_on_close();
  reading_ = writing_ = false;
  finish();
}

void TcpRelay::finish_if_done() {
  if (!reading_ && !writing_) finish();
}

void TcpRelay::finish() {
  // The owner may keep this object beyond the link.
  if (streams_ != nullptr) std::exchange(streams_, nullptr)->detach(stream_);
  socket_.reset();
  // The callback may destroy this object.
  if (done_) std::exchange(done_, nullptr)();
}

}  // namespace karst::driver
