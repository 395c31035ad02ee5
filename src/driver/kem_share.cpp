#include "driver/kem_share.h"

#include <utility>

namespace karst::driver {

using Peer = keys::KemTurns::Peer;

KemShare::KemShare(Ports& ports)
    : ports_(ports), turns_(ports.now()), timer_(ports.make_timer([this] { give_turn(); })) {}

void KemShare::give_turn() {
  granted_ = nullptr;
  if (const auto peer = turns_.take(ports_.now())) {
    granted_ = seats_.at(*peer);
    granted_->wake_();
  }
  arm();
}

void KemShare::arm() {
  if (const auto next = turns_.next_turn()) timer_->arm(*next);
}

KemShare::Seat::Seat(KemShare& share, Callback wake)
    : share_(share), wake_(std::move(wake)), peer_(static_cast<Peer>(share.next_peer_++)) {
  share_.seats_.emplace(peer_, this);
}

KemShare::Seat::~Seat() {
  share_.turns_.forget(peer_);
  share_.seats_.erase(peer_);
  if (share_.granted_ == this) share_.granted_ = nullptr;
}

bool KemShare::Seat::enter(TimePoint now) {
  if (share_.granted_ == this) {
    share_.granted_ = nullptr;
    return true;
  }
  if (share_.turns_.start(peer_, now)) return true;
  share_.arm();
  return false;
}

void KemShare::Seat::started() { share_.started_ = share_.ports_.clock(); }

void KemShare::Seat::finished() {
  share_.turns_.charge(share_.ports_.clock() - share_.started_);
  share_.arm();
}

}  // namespace karst::driver
