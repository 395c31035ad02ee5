#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>

#include "base/time.h"

namespace karst::keys {

// The share of one thread that KEM work may take: at most half of the time, one operation at a
// turn, peer after peer. A peer that asks for a thousand exchanges delays another by one.
// One per thread, owned by what drives the peers.
//
// A peer whose LinkRatchet::has_control() says yes is put in line with want(). While take() names
// a peer, the owner lets it do one LinkRatchet::next_control(), says in charge() how long that
// took, and puts the peer in line again if it has more.
class KemTurns {
 public:
  enum class Peer : std::uint64_t {};

  explicit KemTurns(TimePoint now) : last_(now) {}

  // At the end of the line, unless it stands there already.
  void want(Peer peer);
  void forget(Peer peer);
  // The peer whose turn it is, which leaves the line; nothing if nobody waits or the share is used
  // up.
  std::optional<Peer> take(TimePoint now);
  void charge(Duration took) { credit_ -= took; }
  // When somebody who waits may be taken.
  std::optional<TimePoint> next_turn() const;

 private:
  void earn(TimePoint now);

  TimePoint last_;
  Duration credit_{};  // negative while the share is overdrawn by the last operation
  std::deque<Peer> line_;
  std::unordered_set<std::uint64_t> waiting_;  // for membership only
};

}  // namespace karst::keys
