#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver/ports.h"

namespace karst::driver {

// The look-ups of one link's TCP targets: so many at a time that a client which names hosts that
// nobody answers for, on as many streams as it may have, leaves the resolver to others. The rest
// wait in order; there are two for each stream at most. As with UDP a link gets more only while it
// has less than what is left for all, but one at a time it always has. A look-up that is no longer
// wanted counts until its question has ended, since the resolver is as busy with it.
// Outlives the look-ups that it gives.
class LinkLookUps {
 public:
  // Of the 1,024 that the resolver does at a time; UdpWaiting has the other half.
  static constexpr std::size_t kOfAll = 512;
  static constexpr std::size_t kOfLink = 128;

  // `of_all` counts those of all links, and outlives this.
  LinkLookUps(Ports& ports, std::size_t& of_all) : ports_(ports), of_all_(of_all) {}
  ~LinkLookUps() { of_all_ -= running_.size(); }
  LinkLookUps(const LinkLookUps&) = delete;
  LinkLookUps& operator=(const LinkLookUps&) = delete;

  // As Ports::look_up().
  std::unique_ptr<Lookup> look_up(std::string_view name, AddressFamily family,
                                  LookupCallback callback);
  std::size_t running() const { return running_.size(); }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  class Asked;
  struct Running {
    std::unique_ptr<Lookup> lookup;
    Asked* asked;  // null once nobody wants it
  };

  bool may_run() const;
  void start(Asked& asked);
  void handle_answer(std::list<Running>::iterator at, Result<std::vector<IpAddress>> answer);

  Ports& ports_;
  std::size_t& of_all_;
  std::list<Running> running_;
  std::list<Asked*> waiting_;
};

}  // namespace karst::driver
