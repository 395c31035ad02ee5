#include "wire/frame.h"

#include <optional>

#include "base/check.h"
#include "base/reader.h"

namespace karst::wire {
namespace {

enum class StreamRule : std::uint8_t { control, stream, any };

// Nullopt for a type that no reader gives out.
std::optional<StreamRule> stream_rule(FrameType type) {
  switch (type) {
    case FrameType::open:
    case FrameType::open_result:
    case FrameType::data:
    case FrameType::fin:
    case FrameType::reset:
      return StreamRule::stream;
    case FrameType::credit:
    case FrameType::packet:
      return StreamRule::any;
    case FrameType::ping:
    case FrameType::pong:
    case FrameType::goaway:
    case FrameType::report:
    case FrameType::offer:
    case FrameType::ack:
      return StreamRule::control;
    case FrameType::resume:
      break;
  }
  return std::nullopt;
}

bool fits(StreamRule rule, std::uint32_t stream) {
  if (stream > kStreamIdMax) return false;
  switch (rule) {
    case StreamRule::control:
      return stream == 0;
    case StreamRule::stream:
      return stream != 0;
    case StreamRule::any:
      break;
  }
  return true;
}

bool is_ratchet(FrameType type) { return type == FrameType::offer || type == FrameType::ack; }

}  // namespace

Result<FrameReader> FrameReader::of(Bytes plaintext) {
  if (plaintext.empty()) return kRecordEmpty;
  if (plaintext.size() > kPlaintextBytesMax) return kRecordTooLong;
  return FrameReader(plaintext);
}

Result<Frame> FrameReader::next() {
  const auto at = static_cast<std::int64_t>(offset_);
  Reader in(plaintext_.subspan(offset_));
  const auto type = static_cast<FrameType>(in.u8());
  const std::uint32_t stream = in.u32();
  const Bytes payload = in.bytes(in.u24());
  if (!in.ok()) return Error(kFrameTruncated, at);
  const auto rule = stream_rule(type);
  if (!rule) return Error(kFrameTypeUnknown, at);
  if (!fits(*rule, stream)) return Error(kFrameStreamWrong, at);
  offset_ += kFrameHeaderBytes + payload.size();
  return Frame{type, StreamId{stream}, payload};
}

void write_frame_header(Writer& out, FrameType type, StreamId stream, std::size_t length) {
  CHECK(length <= kFramePayloadBytesMax);
  out.u8(static_cast<std::uint8_t>(type));
  out.u32(static_cast<std::uint32_t>(stream));
  out.u24(static_cast<std::uint32_t>(length));
}

bool is_counted(FrameType type) {
  switch (type) {
    case FrameType::open:
    case FrameType::open_result:
    case FrameType::data:
    case FrameType::fin:
    case FrameType::reset:
    case FrameType::packet:
      return true;
    default:
      return false;
  }
}

Result<RecordKind> classify_record(Bytes plaintext) {
  TRY_ASSIGN(FrameReader frames, FrameReader::of(plaintext));
  RecordKind kind = RecordKind::uncounted;
  while (!frames.at_end()) {
    TRY_ASSIGN(const Frame frame, frames.next());
    if (is_ratchet(frame.type)) {
      if (kFrameHeaderBytes + frame.payload.size() != plaintext.size()) return kFrameNotAlone;
      kind = RecordKind::ratchet;
    }
    if (is_counted(frame.type)) kind = RecordKind::counted;
  }
  return kind;
}

RatchetFrame ratchet_frame(Bytes plaintext) {
  Reader in(plaintext);
  const auto type = static_cast<FrameType>(in.u8());
  CHECK(is_ratchet(type) && plaintext.size() >= kFrameHeaderBytes);
  return {type, plaintext.subspan(kFrameHeaderBytes)};
}

std::size_t format_ratchet_record(FrameType type, Bytes message, MutableBytes space) {
  CHECK(is_ratchet(type));
  Writer out(space);
  write_frame_header(out, type, kControlStream, message.size());
  out.bytes(message);
  return out.written();
}

}  // namespace karst::wire
