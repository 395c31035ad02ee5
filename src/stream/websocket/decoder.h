#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "stream/websocket/frame.h"

namespace karst::stream::websocket {

// A whole message (its fragments joined) or a control frame.
struct Message {
  Opcode opcode;  // text, binary, close, ping or pong
  // Unmasked. Of a close: the reason. Borrowed until the next decode(), and no longer than the
  // input lives.
  Bytes payload;
  // Of a close: its code, or kCloseNone.
  std::uint16_t close_code = 0;
};

// Reads frames from a stream that may be cut anywhere. Memory follows the bytes that came, not the
// lengths that were announced, up to the size limit.
//
//   repeat message = decode(input) until there is none: input is then empty
//
// A message that lies whole in the input is not copied if it comes from a server, and otherwise
// unmasked in one pass into the decoder's own buffer. After a close frame or an error the stream is
// over: input is dropped, an error is repeated.
class Decoder {
 public:
  // `self` is our own role: a server expects masked frames. `message_bytes_max` bounds a message.
  explicit Decoder(Role self, std::size_t message_bytes_max = kMaxMessageBytes)
      : self_(self), message_bytes_max_(message_bytes_max) {}

  // Takes bytes from the front of `input` up to the end of a message or control frame. The kinds
  // of error are in frame.h; the detail is the close code that answers them.
  Result<std::optional<Message>> decode(Bytes& input);

  // Memory held for the unfinished or last message.
  std::size_t held_bytes() const { return message_.capacity; }

 private:
  // The frame whose payload is being taken.
  struct Frame {
    Opcode opcode{};
    bool final = false;
    MaskKey key{};
    std::size_t bytes = 0;
    std::size_t taken = 0;
  };
  struct Header {
    std::array<std::uint8_t, kMaxHeaderBytes> bytes{};
    std::size_t filled = 0;
  };
  // The message whose fragments are being joined, or which was given last.
  struct Assembly {
    Opcode opcode{};
    std::size_t fragments = 0;  // 0: no message is open
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t capacity = 0;
    std::size_t size = 0;
  };

  Result<bool> take_header(Bytes& input);
  Result<void> check_start() const;
  Result<void> begin_frame();
  Result<std::optional<Message>> take_payload(Bytes& input);
  Result<std::optional<Message>> take_control(Bytes& input);
  void append(Bytes part, std::size_t announced);
  Result<std::optional<Message>> finish_message(Bytes payload);

  Role self_;
  std::size_t message_bytes_max_;
  Header header_;
  std::optional<Frame> frame_;
  Assembly message_;
  std::array<std::uint8_t, kMaxControlBytes> control_{};
  bool closed_ = false;
  std::optional<Error> error_;
};

}  // namespace karst::stream::websocket
