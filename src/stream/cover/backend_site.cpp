#include "stream/cover/backend_site.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "crypto/base64.h"
#include "stream/cover/backend_exchange.h"

namespace karst::stream::cover {

class BackendSite::Relay final : public BackendExchange {
 public:
  Relay(BackendSite& site, BackendId id, ConnectionKey client, const Request& request,
        std::string socket_key, const Moment& moment)
      : BackendExchange(request, site.authority_, std::move(socket_key), moment),
        site_(site),
        id_(id),
        client_(client) {}
  ~Relay() override { site_.forget(id_); }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  ConnectionKey client() const { return client_; }

 private:
  BackendSite& site_;
  BackendId id_;
  ConnectionKey client_;
};

BackendSite::BackendSite(std::string authority, Entropy& entropy, ReadyConnections& ready)
    : authority_(std::move(authority)), entropy_(entropy), ready_(ready) {}

BackendSite::~BackendSite() { CHECK(relays_.empty()); }

std::unique_ptr<Exchange> BackendSite::begin(Request request, ConnectionKey connection,
                                             const Moment& moment) {
  std::string socket_key;
  if (request.protocol == "websocket") socket_key = crypto::base64(entropy_.bytes<16>());
  const BackendId id{++last_id_};
  auto relay = std::make_unique<Relay>(*this, id, connection, request, socket_key, moment);
  if (relay->wants_backend()) {
    relays_.emplace(id, relay.get());
    actions_.push_back({Action::Kind::open, id});
  }
  return relay;
}

void BackendSite::forget(BackendId id) {
  if (relays_.erase(id) == 0) return;
  const auto is_opening = [&](const Action& action) { return action.id == id; };
  // Not even asked for yet: then nothing is to be closed.
  if (std::erase_if(actions_, is_opening) == 0) actions_.push_back({Action::Kind::close, id});
}

BackendSite::Relay* BackendSite::find(BackendId id) const {
  const auto found = relays_.find(id);
  return found == relays_.end() ? nullptr : found->second;
}

BackendSite::Relay* BackendSite::wake(BackendId id) {
  Relay* const relay = find(id);
  if (relay) ready_.push(relay->client());
  return relay;
}

std::optional<Backend::Action> BackendSite::poll_action() {
  if (actions_.empty()) return std::nullopt;
  const Action first = actions_.front();
  actions_.pop_front();
  return first;
}

void BackendSite::opened(BackendId id, const Moment& moment) {
  if (Relay* const relay = wake(id)) relay->opened(moment);
}

void BackendSite::failed(BackendId id, const Moment& moment) {
  if (Relay* const relay = wake(id)) relay->failed(moment);
}

std::size_t BackendSite::read_room(BackendId id) const {
  const Relay* const relay = find(id);
  return relay ? relay->read_room() : 0;
}

void BackendSite::received(BackendId id, Bytes bytes, const Moment& moment) {
  if (Relay* const relay = wake(id)) relay->received(bytes, moment);
}

void BackendSite::ended(BackendId id, const Moment& moment) {
  if (Relay* const relay = wake(id)) relay->ended(moment);
}

std::optional<std::size_t> BackendSite::poll_output(BackendId id, MutableBytes space,
                                                    const Moment& moment) {
  // What leaves makes room for more from the client.
  Relay* const relay = find(id);
  if (!relay) return std::nullopt;
  const bool was_full = relay->input_room() == 0;
  const auto count = relay->poll_output(space, moment);
  if (count && was_full) ready_.push(relay->client());
  return count;
}

}  // namespace karst::stream::cover
