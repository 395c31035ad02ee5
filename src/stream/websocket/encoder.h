#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/prng.h"
#include "stream/websocket/frame.h"

namespace karst::stream::websocket {

// Writes frames, one per message, into the caller's space. A client draws a new mask for each from
// the generator it was given; masks hide nothing here (TLS is around them), they only have to be
// there.
class Encoder {
 public:
  Encoder(Role role, Prng masks) : role_(role), masks_(masks) {}

  // Header and payload of a frame with that much payload.
  std::size_t header_bytes(std::size_t payload_bytes) const;
  std::size_t frame_bytes(std::size_t payload_bytes) const {
    return header_bytes(payload_bytes) + payload_bytes;
  }

  // Writes one frame to the front of `space`, which has frame_bytes(payload.size()), and says how
  // much that was. A control frame's payload has at most kMaxControlBytes.
  std::size_t encode(Opcode opcode, Bytes payload, MutableBytes space);
  // The same where the payload stands already in place: `frame` is exactly frame_bytes(payload),
  // the payload at its end.
  void encode_in_place(Opcode opcode, MutableBytes frame);
  // A close frame; kCloseNone writes one without a code. The reason is UTF-8, at most 123 bytes.
  // `space` has kMaxHeaderBytes + kMaxControlBytes.
  std::size_t encode_close(std::uint16_t code, std::string_view reason, MutableBytes space);

 private:
  MaskKey write_header(Opcode opcode, std::size_t payload_bytes, MutableBytes header);

  Role role_;
  Prng masks_;
};

}  // namespace karst::stream::websocket
