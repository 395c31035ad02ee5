#include "driver/tcp_relay.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace karst::driver {
namespace {

// Work of one socket in one turn of the loop: enough to fill what the link sends in a turn, little
// enough that a hundred busy sockets still turn often.
constexpr std::size_t kReadBudget = 256 * 1024;
constexpr std::size_t kWriteBudget = 1024 * 1024;

// Leaves at most `most` bytes (1 or more) of the runs and returns how many runs that is.
std::size_t cut(std::span<Bytes> runs, std::size_t most) {
  std::size_t count = 0;
  for (; count < runs.size() && most > 0; ++count) {
    runs[count] = runs[count].first(std::min(runs[count].size(), most));
    most -= runs[count].size();
  }
  return count;
}

}  // namespace

TcpRelay::TcpRelay(std::unique_ptr<TcpStream> socket, LinkStreams& streams, StreamId stream,
                   Ports& ports, Callback done)
    : socket_(std::move(socket)),
      streams_(&streams),
      stream_(stream),
      ports_(ports),
      done_(std::move(done)),
      pace_(streams.pace()) {
  socket_->set_handler(*this);
  socket_->reset_unless_shut();
  streams_->attach(stream_, *this);
}

TcpRelay::~TcpRelay() {
  if (pace_) pace_->stop_waiting(*this);
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
  note_progress(0);
  write_socket();
}

void TcpRelay::note_progress(std::size_t bytes) {
  if (bytes > 0) moved_at_ = ports_.now();
  if (reading_ == writing_ || half_closed_) return;
  moved_at_ = ports_.now();
  half_closed_ = ports_.make_timer([this] { handle_timer(); });
  half_closed_->arm(moved_at_ + kHalfClosedTime);
}

void TcpRelay::handle_timer() {
  if (streams_ == nullptr) return;
  const TimePoint due = moved_at_ + kHalfClosedTime;
  if (due > ports_.now()) return half_closed_->arm(due);
  abort_if_incomplete();
  fail(wire::ResetReason::timed_out);
}

// Once all of the stream was written a reset would throw away what the kernel has yet to send of
// it.
void TcpRelay::abort_if_incomplete() {
  if (writing_) socket_->abort_on_close();
}

void TcpRelay::update_interest() {
  const bool read = reading_ && !read_paused_ && !read_paced_;
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
  mux.tell_time(ports_.now());
  std::size_t total = 0;
  while (reading_ && total < kReadBudget) {
    const std::size_t room = paced_room(Pace::Direction::to_client);
    if (room == 0) {
      read_paced_ = true;
      break;
    }
    const MutableBytes space = mux.prepare_send(stream_);
    if (space.empty()) {
      read_paused_ = true;
      break;
    }
    const auto read = socket_->read(space.first(std::min(space.size(), room)));
    mux.commit_send(stream_, read.ok() ? *read : 0);
    if (!read.ok()) {
      if (read.error().is(kWouldBlock)) break;
      return fail(wire::ResetReason::connection_reset);
    }
    total += *read;
    paced(Pace::Direction::to_client, *read);
    if (*read == 0) {
      reading_ = false;
      mux.finish(stream_);
    }
  }
  streams_->request_flush();
  note_progress(total);
  update_interest();
  finish_if_done();
}

std::size_t TcpRelay::paced_room(Pace::Direction direction) {
  if (!pace_) return std::numeric_limits<std::size_t>::max();
  const std::size_t room = pace_->room(direction);
  if (room == 0) pace_->wait(direction, *this);
  return room;
}

void TcpRelay::paced(Pace::Direction direction, std::size_t bytes) {
  if (pace_) pace_->take(direction, bytes);
}

void TcpRelay::on_pace(Pace::Direction direction) {
  if (direction == Pace::Direction::to_target) return write_socket();
  read_paced_ = false;
  on_readable();
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
    const std::size_t waiting = mux.received(stream_, runs);
    if (waiting == 0) break;
    const std::size_t room = paced_room(Pace::Direction::to_target);
    if (room == 0) break;
    const std::size_t count = cut(std::span(runs).first(waiting), room);
    const auto written = socket_->write(std::span(runs).first(count));
    if (!written.ok()) {
      if (!written.error().is(kWouldBlock)) return fail(wire::ResetReason::connection_reset);
      write_blocked_ = true;
      break;
    }
    mux.consume_received(stream_, *written, ports_.now());
    paced(Pace::Direction::to_target, *written);
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
  note_progress(total);
  update_interest();
  finish_if_done();
}

void TcpRelay::on_stream_ended(wire::ResetReason) {
  streams_ = nullptr;
  abort_if_incomplete();
  reading_ = writing_ = false;
  finish();
}

void TcpRelay::finish_if_done() {
  if (!reading_ && !writing_) finish();
}

void TcpRelay::finish() {
  if (pace_) pace_->stop_waiting(*this);
  // The owner may keep this object beyond the link.
  if (streams_ != nullptr) std::exchange(streams_, nullptr)->detach(stream_);
  socket_.reset();
  // The callback may destroy this object.
  if (done_) std::exchange(done_, nullptr)();
}

}  // namespace karst::driver
