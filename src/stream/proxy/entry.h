#pragma once

#include <optional>
#include <variant>

#include "base/time.h"
#include "stream/proxy/exchange.h"
#include "stream/proxy/http_proxy.h"
#include "stream/proxy/limits.h"
#include "stream/proxy/open_result.h"
#include "stream/proxy/socks5.h"

namespace karst::stream::proxy {

struct EntryConfig {
  std::optional<Credentials> credentials;  // none: everyone who reaches the port
  Duration greeting_time = kGreetingTime;
};

// One connection to the local proxy port, from its first byte, which tells SOCKS5 (0x05), SOCKS4
// (0x04, refused) and HTTP (a letter) apart. No socket, no tunnel, no clock: the driver moves the
// bytes. One thread.
//
//   Entry entry(config, now);
//   on bytes from the client:  entry.handle_client(bytes)        at most client_room() of them
//   on bytes from the stream:  entry.handle_server(bytes)        at most server_room() of them
//   on the stream's end:       entry.handle_server_end()
//   after each of these:       poll_event() until nothing; write to_client() to the client and
//                              to_server() to the stream, and consume() what was taken
//
// ConnectRequest: open a stream. What is in to_server() may travel with the opening: it is what
// the client sent ahead, or the rewritten HTTP request. UdpAssociateRequest: open a relay. Answer
// either with handle_result(). EntryFailed: reset the stream if there is one.
//
// Once client_direct() and to_server() is empty, the driver may move the client's bytes to the
// stream without this object; with server_direct() and to_client() empty likewise. When both are
// so it may destroy it.
//
// Once closing(): write out to_client(), shut down the sending side, discard what still comes for
// a moment (unread bytes would turn the close into a reset that overtakes the answer), close. When
// the client ends before a request, close; after it, pass the end on behind to_server().
class Entry {
 public:
  Entry(const EntryConfig& config, TimePoint now);

  std::size_t client_room() const;
  void handle_client(Bytes bytes);
  std::size_t server_room() const;
  void handle_server(Bytes bytes);
  void handle_server_end();
  // Exactly once after ConnectRequest or UdpAssociateRequest. `bound`: see Socks5Server.
  void handle_result(OpenResult result, const Endpoint& bound = {});

  ByteQueue& to_client() { return exchange_.to_client; }
  ByteQueue& to_server() { return exchange_.to_server; }
  std::optional<EntryEvent> poll_event() { return exchange_.poll_event(); }

  bool client_direct() const;
  bool server_direct() const;
  // A request is out and handle_result() is still to come.
  bool requested() const { return exchange_.state == Exchange::State::requested; }
  bool closing() const { return exchange_.state == Exchange::State::closing; }

  // The limit on the greeting; none once the request is complete. When it has passed the
  // connection closes without a word.
  std::optional<TimePoint> next_deadline() const;
  void handle_deadline(TimePoint now);

 private:
  void choose_protocol(std::uint8_t first);

  std::optional<Credentials> credentials_;
  TimePoint greeting_deadline_;
  Exchange exchange_;
  std::variant<std::monostate, Socks5Server, HttpProxy> protocol_;
};

}  // namespace karst::stream::proxy
