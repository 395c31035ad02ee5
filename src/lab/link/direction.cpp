#include "lab/link/direction.h"

#include <algorithm>

#include "lab/link/too_big_answer.h"

namespace karst::lab {
namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

// How long `bytes` take at `rate` bits per second.
Duration wire_time(std::size_t bytes, std::uint64_t rate) {
  if (rate == 0) return Duration::zero();
  return Duration(static_cast<std::int64_t>(bytes * 8 * kNanosecondsPerSecond / rate));
}

// FNV-1a over the numbers of the lost segments.
std::uint64_t digest(std::uint64_t before, std::uint64_t number) {
  return (before ^ number) * 0x100000001b3;
}

}  // namespace

Direction::Direction(const DirectionSettings& settings, std::uint64_t seed)
    : settings_(settings), model_(settings, seed) {
  counters_.fates = kDigestStart;
}

void Direction::change(const DirectionSettings& settings, std::uint64_t seed) {
  settings_ = settings;
  model_ = LossModel(settings, seed);
  codel_ = Codel();
  counters_ = DirectionCounters{.fates = kDigestStart};
}

void Direction::handle_input(SuperPacket packet, TimePoint now) {
  counters_.segments += packet.segments();
  for (std::size_t i = 0; i < packet.segments(); ++i) counters_.bytes += packet.wire_bytes(i);
  if (!admit(packet)) return;
  Piece piece;
  for (std::size_t i = 0; i < packet.segments(); ++i) carry(packet, i, now, piece);
  flush(packet, piece);
}

// What never reaches the queue.
bool Direction::admit(const SuperPacket& packet) {
  if (down_) {
    counters_.down += packet.segments();
    return false;
  }
  if (settings_.block_udp && packet.is_udp()) {
    counters_.blocked += packet.segments();
    return false;
  }
  if (settings_.mtu == 0 || packet.wire_bytes_max() <= settings_.mtu) return true;
  counters_.too_big += packet.segments();
  if (settings_.too_big == TooBig::icmp) answer_ = too_big_answer(packet, settings_.mtu);
  return false;
}

// When the last bit of a segment that comes now leaves; nullopt if it is dropped before.
std::optional<TimePoint> Direction::take_wire(std::size_t bytes, TimePoint now) {
  if (settings_.rate == 0) return now;
  const TimePoint head = std::max(now, wire_free_);
  const Duration waited = head - now;
  const Duration room =
      wire_time(std::max(settings_.queue_bytes, std::uint64_t{bytes}), settings_.rate);
  const Duration own = wire_time(bytes, settings_.rate);
  if (waited + own > room && waited > Duration::zero()) return std::nullopt;
  if (settings_.discipline == QueueDiscipline::codel && codel_.drops(head, waited, waited <= own)) {
    return std::nullopt;
  }
  wire_free_ = head + own;
  return wire_free_;
}

// Segment `index`: joins the piece before it where both leave as neighbours.
void Direction::carry(const SuperPacket& packet, std::size_t index, TimePoint now, Piece& piece) {
  const std::size_t bytes = packet.wire_bytes(index);
  const std::optional<TimePoint> left = take_wire(bytes, now);
  if (!left) {
    ++counters_.queue_dropped;
    flush(packet, piece);
    return;
  }
  const LossModel::Fate fate = model_.next();
  if (fate.lost) {
    ++counters_.lost;
    const std::uint64_t number = counters_.delivered + counters_.lost;
    counters_.fates = digest(counters_.fates, number);
    if (number <= kEarlySegments) counters_.early_fates = counters_.fates;
    flush(packet, piece);
    return;
  }
  ++counters_.delivered;
  counters_.delivered_bytes += bytes;
  TimePoint due = *left + settings_.delay + fate.jitter;
  if (fate.reordered) {
    ++counters_.reordered;
    flush(packet, piece);
    hold(packet.cut(index, 1), due + settings_.reorder_by);
    return;
  }
  due = last_due_ = std::max(due, last_due_);
  const Duration own = wire_time(bytes, settings_.rate);
  const bool apart = fate.duplicated || settings_.jitter > Duration::zero() ||
                     piece.wire_time + own > kPieceTimeMax;
  if (piece.count > 0 && apart) flush(packet, piece);
  if (piece.count == 0) piece.first = index;
  ++piece.count;
  piece.due = due;
  piece.wire_time += own;
  if (!fate.duplicated) return;
  ++counters_.duplicated;
  hold(packet.cut(index, 1), due);
  flush(packet, piece);
}

void Direction::flush(const SuperPacket& packet, Piece& piece) {
  if (piece.count > 0) hold(packet.cut(piece.first, piece.count), piece.due);
  piece = Piece{};
}

void Direction::hold(SuperPacket packet, TimePoint due) {
  const std::size_t bytes = packet.bytes().size();
  if (bytes_under_way_ + bytes > kBytesUnderWayMax) {
    counters_.overrun += packet.segments();
    return;
  }
  bytes_under_way_ += bytes;
  under_way_.emplace(std::pair(due, order_++), std::move(packet));
}

std::optional<SuperPacket> Direction::poll_output(TimePoint now) {
  while (!under_way_.empty() && under_way_.begin()->first.first <= now) {
    auto next = under_way_.extract(under_way_.begin());
    bytes_under_way_ -= next.mapped().bytes().size();
    if (down_) {
      counters_.down += next.mapped().segments();
      continue;
    }
    counters_.late_max = std::max(counters_.late_max, now - next.key().first);
    return std::move(next.mapped());
  }
  return std::nullopt;
}

std::optional<ByteVector> Direction::poll_answer() { return std::exchange(answer_, std::nullopt); }

std::optional<TimePoint> Direction::next_deadline() const {
  if (under_way_.empty()) return std::nullopt;
  return under_way_.begin()->first.first;
}

}  // namespace karst::lab
