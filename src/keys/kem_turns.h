#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>

#include "base/time.h"

namespace karst::keys {

// The share of one thread that KEM work may take: at most half of the time while several peers have
// some, one operation at a turn, peer after peer. A peer that asks for a thousand exchanges delays
// another by one. A peer that is alone waits for nobody; but it too gives way after a few
// operations, so that the thread sees whether others have come.
// One per thread, owned by what drives the peers.
//
// A peer whose LinkRatchet::has_control() says yes asks start(). If that says no it stands in line:
// when next_turn() has come, take() names the peer that may do one LinkRatchet::next_control().
// charge() says how long each operation took.
class KemTurns {
 public:
  enum class Peer : std::uint64_t {};

  explicit KemTurns(TimePoint now) : last_(now) {}

  // Whether the peer may work at once: nobody else waits and the share is not used up. Otherwise it
  // is put at the end of the line, unless it stands there already.
  bool start(Peer peer, TimePoint now);
  void forget(Peer peer);
  // The peer whose turn it is, which leaves the line; nothing if nobody waits or the share is used
  // up.
  std::optional<Peer> take(TimePoint now);
  void charge(Duration took) { credit_ -= took; }
  // When somebody who waits may be taken.
  std::optional<TimePoint> next_turn() const;

 private:
  void earn(TimePoint now);
  bool alone() const;

  TimePoint last_;
  Duration credit_{};  // negative while the share is overdrawn by the last operation
  std::deque<Peer> line_;
  std::unordered_set<std::uint64_t> waiting_;  // for membership only
  std::optional<Peer> last_asker_;
  std::optional<TimePoint> rival_at_;  // when a peer asked that was not the one before it
};

}  // namespace karst::keys
