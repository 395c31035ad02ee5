#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "stream/cover/http_message.h"

namespace karst::stream::cover {

// Who is on the live page now; shared by its sockets.
class LiveRoom {
 public:
  std::size_t visitors() const { return visitors_; }

 private:
  friend class LiveSocket;
  std::size_t visitors_ = 0;
};

// The server's side of the built-in page's WebSocket, as messages. On opening and every
// kLiveNewsEvery it tells the time and how many people are here; a text "ping WORD" is answered
// "pong WORD", by which the page shows the delay of the line. What it does not understand ends it:
//
//   a binary message           1003 (unsupported data)
//   any other text             1008 (policy violation), as does too many messages in a second
//   a message over the limit   1009 (too big), by the codec in front of it
//
// It does not know frames, masks or fragments: live_exchange.h does.
class LiveSocket {
 public:
  LiveSocket(LiveRoom& room, const Moment& moment);
  ~LiveSocket();
  LiveSocket(const LiveSocket&) = delete;
  LiveSocket& operator=(const LiveSocket&) = delete;

  void on_text(std::string_view text, const Moment& moment);
  void on_binary(const Moment& moment);
  // A sign of life that is not a message.
  void on_pong(const Moment& moment);

  struct Message {
    enum class Kind : std::uint8_t { text, ping, close };
    Kind kind;
    std::string text;              // of a text
    std::uint16_t close_code = 0;  // of a close, which is the last message
    bool operator==(const Message&) const = default;
  };
  std::optional<Message> poll_message();

  // Nullopt once it has closed.
  std::optional<TimePoint> next_deadline() const;
  void handle_deadline(const Moment& moment);

 private:
  void say_news(const Moment& moment);
  void close(std::uint16_t code);
  bool heard_too_much(const Moment& moment);

  LiveRoom& room_;
  std::deque<Message> messages_;
  TimePoint heard_;
  TimePoint news_due_;
  TimePoint second_began_;
  std::size_t messages_this_second_ = 0;
  bool pinged_ = false;
  bool closed_ = false;
};

}  // namespace karst::stream::cover
