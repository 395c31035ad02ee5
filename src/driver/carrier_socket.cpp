#include "driver/carrier_socket.h"

#include <algorithm>
#include <array>
#include <utility>

namespace karst::driver {
namespace {

// Work of one connection in one turn. Large, since a tunnel is what the process exists for; still
// bounded, so that a thousand clients all get their turn.
constexpr std::size_t kReadBudget = 512 * 1024;
constexpr std::size_t kWriteBudget = 1024 * 1024;
// What may wait unsent in the kernel before on_writable() holds back: enough to bridge a turn of
// the loop at a few Gbit/s.
constexpr std::uint32_t kUnsentLowWater = 256 * 1024;
// How long a closed connection waits for TCP to take its last bytes, or for the peer to read them.
constexpr Duration kCloseTime = std::chrono::seconds(5);
// What was handled and is still due needs output that TCP does not take at present.
constexpr Duration kDueAgain = std::chrono::milliseconds(100);

// TCP doubles its pause from one retransmission to the next, so that after an outage it may stay
// silent for as long again, and the deadline of an OFFER passes meanwhile. More than a few round
// trips bring nothing.
constexpr Duration kRetransmissionPauseLeast = std::chrono::seconds(1);
constexpr int kRetransmissionPauseRoundTrips = 4;

stream::Moment moment(const Ports& ports) { return {ports.now(), ports.wall_time()}; }

}  // namespace

CarrierSocket::CarrierSocket(std::unique_ptr<TcpStream> socket,
                             stream::CarrierConnection& connection, Duration silence_limit,
                             Ports& ports, Owner& owner)
    : socket_(std::move(socket)),
      connection_(connection),
      ports_(ports),
      owner_(owner),
      end_of_turn_(ports.make_end_of_turn([this] { flush(); })),
      timer_(ports.make_timer([this] { handle_timer(); })) {
  socket_->set_handler(*this);
  socket_->set_unsent_low_water(kUnsentLowWater);
  socket_->set_silence_limit(silence_limit);
  update_interest();
  rearm();
  request_flush();
}

void CarrierSocket::update_interest() {
  const auto bits =
      static_cast<std::uint8_t>((connection_.wants_input() ? 1 : 0) | (blocked_ ? 2 : 0));
  socket_->set_interest(static_cast<Interest>(bits));
}

void CarrierSocket::follow_path(Duration round_trip) {
  socket_->set_retransmission_pause(
      std::max(kRetransmissionPauseLeast, kRetransmissionPauseRoundTrips * round_trip));
}

void CarrierSocket::on_readable() {
  std::size_t total = 0;
  while (connection_.wants_input() && total < kReadBudget) {
    const MutableBytes space = connection_.input_space();
    const auto read = socket_->read(space);
    if (!read.ok()) {
      if (read.error().is(kWouldBlock)) break;
      return close(read.error());
    }
    if (*read == 0) {
      connection_.handle_input_end(moment(ports_));
      break;
    }
    connection_.commit_input(*read, moment(ports_));
    total += *read;
    // The kernel had less than there was room for: asking again would only cost a call.
    if (*read < space.size()) break;
  }
  bytes_read_ += total;
  request_flush();
  owner_.on_carrier_progress();
}

void CarrierSocket::on_writable() {
  blocked_ = false;
  late_ = ports_.last_turn_work();
  request_flush();
}

void CarrierSocket::flush() {
  std::array<Bytes, 64> runs;
  std::size_t total = 0;
  Outcome outcome = Outcome::drained;
  while (!blocked_) {
    connection_.produce(moment(ports_));
    const std::size_t count = connection_.gather_output(runs);
    if (count == 0) break;
    if (total >= kWriteBudget) {
      outcome = Outcome::out_of_turn;
      break;
    }
    const auto written = socket_->write(std::span(runs).first(count));
    if (!written.ok()) {
      if (!written.error().is(kWouldBlock)) return close(written.error());
      blocked_ = true;
      break;
    }
    connection_.consume_output(*written);
    total += *written;
  }
  bytes_written_ += total;
  if (blocked_) outcome = Outcome::socket_full;
  // A spent budget goes on when the loop has looked at everyone else.
  if (outcome == Outcome::out_of_turn) blocked_ = true;
  if (connection_.over() && !blocked_) return close(std::nullopt);
  update_interest();
  rearm();
  owner_.on_carrier_flushed({outcome, std::exchange(late_, Duration::zero())});
}

void CarrierSocket::rearm() {
  auto deadline = connection_.next_deadline();
  if (connection_.over()) {
    // What is left must go out soon, or not at all.
    if (std::exchange(closing_, true)) return;
    deadline = ports_.now() + kCloseTime;
  }
  if (deadline && handled_at_ && *deadline <= *handled_at_) deadline = *handled_at_ + kDueAgain;
  if (deadline == armed_) return;
  armed_ = deadline;
  if (deadline) {
    timer_->arm(*deadline);
  } else {
    timer_->disarm();
  }
}

void CarrierSocket::handle_timer() {
  armed_.reset();
  if (closing_) return close(kTimedOut);
  handled_at_ = ports_.now();
  connection_.handle_deadline(moment(ports_));
  request_flush();
  rearm();
  owner_.on_carrier_progress();
}

void CarrierSocket::close(const std::optional<Error>& error) {
  timer_.reset();
  end_of_turn_.reset();
  socket_.reset();
  owner_.on_carrier_closed(error);
}

}  // namespace karst::driver
