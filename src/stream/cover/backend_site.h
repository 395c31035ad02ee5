#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "base/entropy.h"
#include "stream/cover/backend.h"
#include "stream/cover/exchange.h"
#include "stream/cover/work_limit.h"

namespace karst::stream::cover {

// A reverse proxy to one backend: an exchange, and a connection, per request. It knows nothing of
// limits. Its exchanges must not outlive it.
class BackendSite final : public Handler, public Backend {
 public:
  // `entropy` and `ready` are borrowed. `ready` learns whose exchange the backend has moved.
  BackendSite(std::string authority, Entropy& entropy, ReadyConnections& ready);
  ~BackendSite() override;

  std::unique_ptr<Exchange> begin(Request request, ConnectionKey connection,
                                  const Moment& moment) override;

  std::optional<Action> poll_action() override;
  void opened(BackendId id, const Moment& moment) override;
  void failed(BackendId id, const Moment& moment) override;
  std::size_t read_room(BackendId id) const override;
  void received(BackendId id, Bytes bytes, const Moment& moment) override;
  void ended(BackendId id, const Moment& moment) override;
  std::optional<std::size_t> poll_output(BackendId id, MutableBytes space,
                                         const Moment& moment) override;

 private:
  class Relay;
  Relay* find(BackendId id) const;
  // The same, and its client's connection is to be pumped.
  Relay* wake(BackendId id);
  void forget(BackendId id);

  std::string authority_;
  Entropy& entropy_;
  ReadyConnections& ready_;
  std::map<BackendId, Relay*> relays_;
  std::deque<Action> actions_;
  std::uint64_t last_id_ = 0;
};

}  // namespace karst::stream::cover
