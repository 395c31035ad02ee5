#include "keys/kem_turns.h"

#include <algorithm>

namespace karst::keys {
namespace {

// How much unused time may be saved up: a few operations, so that an idle thread answers a burst
// at once, and no packet waits long behind it.
constexpr Duration kCreditMax = std::chrono::milliseconds(2);

std::uint64_t number(KemTurns::Peer peer) { return static_cast<std::uint64_t>(peer); }

}  // namespace

void KemTurns::want(Peer peer) {
  if (waiting_.insert(number(peer)).second) line_.push_back(peer);
}

void KemTurns::forget(Peer peer) {
  if (waiting_.erase(number(peer)) != 0) std::erase(line_, peer);
}

std::optional<KemTurns::Peer> KemTurns::take(TimePoint now) {
  earn(now);
  if (line_.empty() || credit_ < Duration::zero()) return std::nullopt;
  const Peer peer = line_.front();
  line_.pop_front();
  waiting_.erase(number(peer));
  return peer;
}

void KemTurns::earn(TimePoint now) {
  if (now <= last_) return;
  credit_ = std::min(kCreditMax, credit_ + (now - last_) / 2);
  last_ = now;
}

std::optional<TimePoint> KemTurns::next_turn() const {
  if (line_.empty()) return std::nullopt;
  return credit_ >= Duration::zero() ? last_ : last_ - 2 * credit_;
}

}  // namespace karst::keys
