#include "stream/proxy/exchange.h"

#include <utility>

#include "base/check.h"

namespace karst::stream::proxy {

void Exchange::request(EntryEvent event) {
  CHECK(state == State::greeting);
  state = State::requested;
  request_ = std::move(event);
}

void Exchange::fail(const Error& error) {
  failure_ = EntryFailed{error};
  close();
}

void Exchange::close() {
  state = State::closing;
  to_server.clear();
}

std::optional<EntryEvent> Exchange::poll_event() {
  return std::exchange(request_ ? request_ : failure_, std::nullopt);
}

}  // namespace karst::stream::proxy
