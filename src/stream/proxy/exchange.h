#pragma once

#include <optional>
#include <variant>

#include "base/byte_queue.h"
#include "base/ip.h"
#include "base/result.h"
#include "stream/proxy/target.h"

namespace karst::stream::proxy {

// The client wants a stream to `target`.
struct ConnectRequest {
  Target target;
};

// The client wants to send datagrams through a relay on this machine. `expected_source` is where
// it says it will send from; all zero (address, port or both) where it does not know yet.
struct UdpAssociateRequest {
  Endpoint expected_source;
};

// The connection is over, for this reason.
struct EntryFailed {
  Error error;
};

using EntryEvent = std::variant<ConnectRequest, UdpAssociateRequest, EntryFailed>;

// What one local connection's protocol and its driver hand each other. The protocols (Socks5Server,
// HttpProxy) hold the rest of their state themselves. Belongs to Entry; a plain value.
struct Exchange {
  enum class State : std::uint8_t {
    greeting,   // no complete request yet
    requested,  // the request is out, its result is not in
    open,       // the result was ok
    closing,    // to_client is the last that the client gets
  };

  State state = State::greeting;
  ByteQueue to_client;
  ByteQueue to_server;
  // While true, bytes of that direction must come through the protocol even when open.
  bool filter_client = false;
  bool filter_server = false;

  void request(EntryEvent event);
  // Nothing more goes to the server; fail() also says why.
  void close();
  void fail(const Error& error);
  std::optional<EntryEvent> poll_event();

 private:
  // One request and one failure is all that can ever be.
  std::optional<EntryEvent> request_;
  std::optional<EntryEvent> failure_;
};

}  // namespace karst::stream::proxy
