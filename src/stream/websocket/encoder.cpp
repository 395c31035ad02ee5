#include "stream/websocket/encoder.h"

#include "base/check.h"
#include "base/writer.h"

namespace karst::stream::websocket {
namespace {

constexpr std::uint8_t kFinal = 0x80;
constexpr std::uint8_t kMasked = 0x80;

bool is_control(Opcode opcode) { return static_cast<std::uint8_t>(opcode) >= 8; }

}  // namespace

std::size_t Encoder::header_bytes(std::size_t payload_bytes) const {
  const std::size_t extended = payload_bytes < 126 ? 0 : payload_bytes <= 0xffff ? 2 : 8;
  return 2 + extended + (role_ == Role::client ? 4 : 0);
}

MaskKey Encoder::write_header(Opcode opcode, std::size_t payload_bytes, MutableBytes header) {
  CHECK(!is_control(opcode) || payload_bytes <= kMaxControlBytes);
  Writer writer(header);
  const std::uint8_t masked = role_ == Role::client ? kMasked : 0;
  writer.u8(kFinal | static_cast<std::uint8_t>(opcode));
  if (payload_bytes < 126) {
    writer.u8(static_cast<std::uint8_t>(masked | payload_bytes));
  } else if (payload_bytes <= 0xffff) {
    writer.u8(masked | 126);
    writer.u16(static_cast<std::uint16_t>(payload_bytes));
  } else {
    writer.u8(masked | 127);
    writer.u64(payload_bytes);
  }
  MaskKey key{};
  if (role_ == Role::client) {
    masks_.fill(key);
    writer.bytes(key);
  }
  return key;
}

std::size_t Encoder::encode(Opcode opcode, Bytes payload, MutableBytes space) {
  const std::size_t header = header_bytes(payload.size());
  const MaskKey key = write_header(opcode, payload.size(), space.first(header));
  const MutableBytes to = space.subspan(header, payload.size());
  if (role_ == Role::client) {
    mask_copy(to, payload, key, 0);
  } else {
    copy_bytes(to, payload);
  }
  return header + payload.size();
}

void Encoder::encode_in_place(Opcode opcode, MutableBytes frame) {
  // The header's size depends on the payload's: try the three there are.
  std::size_t payload_bytes = 0;
  for (const std::size_t extended : {0u, 2u, 8u}) {
    const std::size_t header = 2 + extended + (role_ == Role::client ? 4 : 0);
    if (frame.size() < header) break;
    payload_bytes = frame.size() - header;
    if (header_bytes(payload_bytes) == header) break;
  }
  CHECK(frame_bytes(payload_bytes) == frame.size());
  const std::size_t header = frame.size() - payload_bytes;
  const MaskKey key = write_header(opcode, payload_bytes, frame.first(header));
  const MutableBytes payload = frame.subspan(header);
  if (role_ == Role::client) mask_copy(payload, payload, key, 0);
}

std::size_t Encoder::encode_close(std::uint16_t code, std::string_view reason, MutableBytes space) {
  std::uint8_t payload[kMaxControlBytes];
  Writer writer(payload);
  if (code != kCloseNone) {
    writer.u16(code);
    writer.bytes(as_bytes(reason));
  }
  return encode(Opcode::close, Bytes(payload, writer.written()), space);
}

}  // namespace karst::stream::websocket
