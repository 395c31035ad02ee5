#include "stream/websocket/decoder.h"

#include <algorithm>
#include <cstring>

#include "base/reader.h"
#include "stream/websocket/utf8.h"

namespace karst::stream::websocket {
namespace {

// What is taken at once for a message that announces so much, and kept between messages.
constexpr std::size_t kKeptBytes = 64 * 1024;

bool is_control(Opcode opcode) { return static_cast<std::uint8_t>(opcode) >= 8; }

// RFC 6455 section 7.4 and the registry it opened: codes an endpoint may send.
bool may_be_sent(std::uint16_t code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

std::size_t header_bytes(std::uint8_t second) {
  const std::size_t length = second & 0x7f;
  return 2u + (length == 126 ? 2u : length == 127 ? 8u : 0u) + ((second & 0x80) != 0 ? 4u : 0u);
}

}  // namespace

Result<std::optional<Message>> Decoder::decode(Bytes& input) {
  if (message_.fragments == 0) {
    message_.size = 0;
    if (message_.capacity > kKeptBytes) {
      message_.bytes.reset();
      message_.capacity = 0;
    }
  }
  while (!error_ && !closed_) {
    if (!frame_) {
      const auto complete = take_header(input);
      if (!complete.ok()) {
        error_ = complete.error();
        break;
      }
      if (!*complete) return std::optional<Message>{};
    }
    auto message = is_control(frame_->opcode) ? take_control(input) : take_payload(input);
    if (!message.ok()) {
      error_ = message.error();
      break;
    }
    if (message->has_value() || frame_) return message;
  }
  input = {};
  if (error_) return *error_;
  return std::optional<Message>{};
}

// Whether a header is complete; frame_ is then set.
Result<bool> Decoder::take_header(Bytes& input) {
  while (!input.empty() || header_.filled >= 2) {
    const std::size_t wanted = header_.filled < 2 ? 2 : header_bytes(header_.bytes[1]);
    const std::size_t part = std::min(wanted - header_.filled, input.size());
    std::copy_n(input.begin(), part, header_.bytes.begin() + header_.filled);
    const bool started = header_.filled < 2;
    header_.filled += part;
    input = input.subspan(part);
    if (started && header_.filled == 2) TRY(check_start());
    if (header_.filled < 2 || header_.filled < header_bytes(header_.bytes[1])) {
      if (input.empty()) return false;
      continue;
    }
    TRY(begin_frame());
    header_.filled = 0;
    return true;
  }
  return false;
}

// What the first two bytes decide (RFC 6455 section 5.2).
Result<void> Decoder::check_start() const {
  const std::uint8_t first = header_.bytes[0];
  const std::uint8_t second = header_.bytes[1];
  const auto opcode = static_cast<Opcode>(first & 0x0f);
  const bool final = (first & 0x80) != 0;
  if ((first & 0x70) != 0) return Error{kReservedBits, kCloseProtocolError};
  switch (opcode) {
    case Opcode::close:
    case Opcode::ping:
    case Opcode::pong:
      if (!final || (second & 0x7f) > kMaxControlBytes) {
        return Error{kBadControlFrame, kCloseProtocolError};
      }
      break;
    case Opcode::continuation:
      if (message_.fragments == 0) return Error{kBadContinuation, kCloseProtocolError};
      break;
    case Opcode::text:
    case Opcode::binary:
      if (message_.fragments != 0) return Error{kBadContinuation, kCloseProtocolError};
      break;
    default:
      return Error{kBadOpcode, kCloseProtocolError};
  }
  const bool masked = (second & 0x80) != 0;
  if (masked != (self_ == Role::server)) return Error{kBadMasking, kCloseProtocolError};
  return {};
}

Result<void> Decoder::begin_frame() {
  Reader reader(Bytes(header_.bytes).first(header_.filled));
  const std::uint8_t first = reader.u8();
  const std::uint8_t second = reader.u8();
  std::uint64_t length = second & 0x7f;
  if (length == 126) {
    length = reader.u16();
    if (length < 126) return Error{kBadLength, kCloseProtocolError};
  } else if (length == 127) {
    length = reader.u64();
    if (length <= 0xffff || length >> 63 != 0) return Error{kBadLength, kCloseProtocolError};
  }
  Frame frame;
  frame.opcode = static_cast<Opcode>(first & 0x0f);
  frame.final = (first & 0x80) != 0;
  if ((second & 0x80) != 0) reader.copy(frame.key);
  if (!is_control(frame.opcode)) {
    if (length > message_bytes_max_ - message_.size) return Error{kTooBig, kCloseTooBig};
    if (message_.fragments == kMaxFragments) return Error{kTooManyFragments, kClosePolicy};
    if (message_.fragments++ == 0) message_.opcode = frame.opcode;
  }
  frame.bytes = static_cast<std::size_t>(length);
  frame_ = frame;
  return {};
}

Result<std::optional<Message>> Decoder::take_payload(Bytes& input) {
  const std::size_t part = std::min(frame_->bytes - frame_->taken, input.size());
  const Bytes from = input.first(part);
  input = input.subspan(part);
  const bool alone = frame_->final && message_.fragments == 1 && part == frame_->bytes;
  if (alone && self_ == Role::client) return finish_message(from);
  append(from, frame_->bytes);
  frame_->taken += part;
  if (frame_->taken < frame_->bytes) return std::optional<Message>{};
  if (frame_->final) return finish_message(Bytes(message_.bytes.get(), message_.size));
  frame_.reset();
  return std::optional<Message>{};
}

// Unmasks the part to the end of the message. `announced` bytes are in the frame it is of.
void Decoder::append(Bytes part, std::size_t announced) {
  const std::size_t needed = message_.size + part.size();
  if (needed > message_.capacity) {
    const std::size_t ahead = std::min(message_.size + announced, kKeptBytes);
    const std::size_t capacity =
        std::max({needed, ahead, std::min(2 * message_.capacity, message_bytes_max_)});
    auto grown = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
    if (message_.size != 0) std::memcpy(grown.get(), message_.bytes.get(), message_.size);
    message_.bytes = std::move(grown);
    message_.capacity = capacity;
  }
  const MutableBytes to(message_.bytes.get() + message_.size, part.size());
  if (self_ == Role::server) {
    mask_copy(to, part, frame_->key, frame_->taken);
  } else {
    copy_bytes(to, part);
  }
  message_.size = needed;
}

Result<std::optional<Message>> Decoder::finish_message(Bytes payload) {
  frame_.reset();
  message_.fragments = 0;
  if (message_.opcode == Opcode::text && !valid_utf8(payload)) {
    return Error{kBadText, kCloseBadData};
  }
  return Message{message_.opcode, payload};
}

Result<std::optional<Message>> Decoder::take_control(Bytes& input) {
  const std::size_t part = std::min(frame_->bytes - frame_->taken, input.size());
  mask_copy(MutableBytes(control_).subspan(frame_->taken), input.first(part), frame_->key,
            frame_->taken);
  input = input.subspan(part);
  frame_->taken += part;
  if (frame_->taken < frame_->bytes) return std::optional<Message>{};
  const Opcode opcode = frame_->opcode;
  Bytes payload = Bytes(control_).first(frame_->bytes);
  frame_.reset();
  if (opcode != Opcode::close) return Message{opcode, payload};
  closed_ = true;
  if (payload.empty()) return Message{opcode, payload, kCloseNone};
  Reader reader(payload);
  const std::uint16_t code = reader.u16();
  if (!reader.ok() || !may_be_sent(code)) return Error{kBadClose, kCloseProtocolError};
  const Bytes reason = reader.rest();
  if (!valid_utf8(reason)) return Error{kBadText, kCloseBadData};
  return Message{opcode, reason, code};
}

}  // namespace karst::stream::websocket
