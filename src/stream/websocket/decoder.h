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
//   while (auto message = TRY decode(input)) ...     until it gives nothing: input is then empty
//
// A message that lies whole in the input is not copied where it is unmasked (from a server), and
// otherwise unmasked in one pass into the decoder's own buffer. After a close frame or an error the
// stream is over: input is dropped, an error is repeated.
class Decoder {
 public:
  // `self` is our own role: a server expects masked frames. `message_bytes_max` bounds a message.
  explicit Decoder(Role self, std::size_t message_bytes_max = kMaxMessageBytes);

  // Takes bytes from the front of `input` up to the end of a message or control frame.
  Result<std::optional<Message>> decode(Bytes& input);

  // Bytes of memory held for unfinished or last messages.
  std::size_t held_bytes() const;

 private:
  enum class Over : std::uint8_t { no, closed, failed };
  struct Frame {
    Opcode opcode = Opcode::continuation;
    bool final = false;
    bool masked = false;
    MaskKey key{};
    std::uint64_t bytes = 0;  // payload
    std::uint64_t taken = 0;  // of it
  };
  // The payload of one unfinished message.
  struct Assembly {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t capacity = 0;
    std::size_t size = 0;
  };

  Result<bool> take_header(Bytes& input);
  Result<void> check_header();
  Result<std::optional<Message>> take_payload(Bytes& input);
  Result<std::optional<Message>> finish_control(Bytes payload);
  Result<std::optional<Message>> finish_data(Bytes payload);

  Role self_;
  std::size_t message_bytes_max_;
};

}  // namespace karst::stream::websocket
