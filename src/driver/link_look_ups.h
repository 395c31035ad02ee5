#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver/ports.h"

namespace karst::driver {

// The look-ups of one link's targets: so many at a time that a client which names hosts that nobody
// answers for, on as many streams as it may have, leaves the resolver to others. The rest wait in
// order; there are two for each stream of TCP at most, and one for each name of an association. As
// with UdpWaiting a link gets more only while it has less than what is left for all, but one at a
// time it always has. A look-up that is no longer wanted counts until its question has ended, since
// the resolver is as busy with it; also beyond the end of its link, or who connects again and again
// would have no limit. Outlives the look-ups that it gives.
class LinkLookUps {
  class Asked;
  struct Running {
    std::unique_ptr<Lookup> lookup;
    Asked* asked;        // null once nobody wants it
    LinkLookUps* owner;  // null once the link has ended
  };

 public:
  // Of the 1,024 that the resolver does at a time: some are left for links that have none yet.
  static constexpr std::size_t kOfAll = 896;
  static constexpr std::size_t kOfLink = 128;

  // Those of all links. Outlives them.
  class Totals {
   public:
    std::size_t running() const { return running_; }

   private:
    friend class LinkLookUps;
    std::size_t running_ = 0;
    std::list<Running> left_;  // by links that have ended
  };

  LinkLookUps(Ports& ports, Totals& all) : ports_(ports), all_(all) {}
  ~LinkLookUps();
  LinkLookUps(const LinkLookUps&) = delete;
  LinkLookUps& operator=(const LinkLookUps&) = delete;

  // As Ports::look_up().
  std::unique_ptr<Lookup> look_up(std::string_view name, AddressFamily family,
                                  LookupCallback callback);
  std::size_t running() const { return running_.size(); }
  // The next one would not wait.
  bool has_room() const { return waiting_.empty() && may_run(); }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  using Place = std::list<Running>::iterator;

  bool may_run() const;
  void start(Asked& asked);
  // Takes it off the list that it is on.
  static void end(Totals& all, Place at, Result<std::vector<IpAddress>> answer);
  void start_waiting();

  Ports& ports_;
  Totals& all_;
  std::list<Running> running_;
  std::list<Asked*> waiting_;
};

}  // namespace karst::driver
