#include "keys/kem_turns.h"

#include <algorithm>

namespace karst::keys {
namespace {

// How much unused time may be saved up: a few operations, so that an idle thread answers a burst
// at once, and no packet waits long behind it.
constexpr Duration kCreditMax = std::chrono::milliseconds(2);

// For how long after two peers asked by turns neither counts as alone.
constexpr Duration kRivalTime = std::chrono::milliseconds(100);

std::uint64_t number(KemTurns::Peer peer) { return static_cast<std::uint64_t>(peer); }

}  // namespace

bool KemTurns::start(Peer peer, TimePoint now) {
  earn(now);
  if (last_asker_ && *last_asker_ != peer) rival_at_ = now;
  last_asker_ = peer;
  const bool others_wait = line_.size() > waiting_.count(number(peer));
  if (credit_ < Duration::zero() || others_wait) {
    if (waiting_.insert(number(peer)).second) line_.push_back(peer);
    return false;
  }
  forget(peer);
  return true;
}

void KemTurns::forget(Peer peer) {
  if (waiting_.erase(number(peer)) != 0) std::erase(line_, peer);
}

bool KemTurns::alone() const {
  return line_.size() == 1 && (!rival_at_ || last_ >= *rival_at_ + kRivalTime);
}

std::optional<KemTurns::Peer> KemTurns::take(TimePoint now) {
  earn(now);
  if (line_.empty()) return std::nullopt;
  // What it owes to nobody is forgiven.
  if (credit_ < Duration::zero() && alone()) credit_ = kCreditMax;
  if (credit_ < Duration::zero()) return std::nullopt;
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
  return credit_ >= Duration::zero() || alone() ? last_ : last_ - 2 * credit_;
}

}  // namespace karst::keys
