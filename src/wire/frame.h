#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"
#include "base/writer.h"
#include "wire/limits.h"

// Frames of the multiplexer and the records that hold them: docs/protocol/mux.md.
namespace karst::wire {

enum class StreamId : std::uint32_t {};
// The link itself.
inline constexpr StreamId kControlStream{0};

enum class FrameType : std::uint8_t {
  open = 1,
  open_result = 2,
  data = 3,
  fin = 4,
  reset = 5,
  credit = 6,
  packet = 7,
  ping = 8,
  pong = 9,
  goaway = 10,
  report = 11,
  offer = 12,
  ack = 13,
  resume = 14,  // reserved: no reader gives it out
};

inline constexpr ErrorKind kRecordEmpty{"wire", "record-empty", "a record holds no frame"};
inline constexpr ErrorKind kRecordTooLong{"wire", "record-too-long",
                                          "a record is longer than the protocol allows"};
// detail = offset in the record, for all of the following
inline constexpr ErrorKind kFrameTruncated{"wire", "frame-truncated",
                                           "a record ends inside a frame"};
inline constexpr ErrorKind kFrameTypeUnknown{"wire", "frame-type-unknown",
                                             "a frame has a type that does not exist"};
inline constexpr ErrorKind kFrameStreamWrong{"wire", "frame-stream-wrong",
                                             "a frame names a stream that its type cannot have"};
inline constexpr ErrorKind kFrameNotAlone{"wire", "frame-not-alone",
                                          "a ratchet message shares its record with other frames"};

// A frame whose type, stream and length fit together; the payload is borrowed from the record and
// not yet looked at.
struct Frame {
  FrameType type;
  StreamId stream;
  Bytes payload;
};

// Walks the frames of one record's plaintext.
class FrameReader {
 public:
  // Fails on a record that is empty or too long.
  static Result<FrameReader> of(Bytes plaintext);

  bool at_end() const { return offset_ == plaintext_.size(); }
  // Not at the end. After an error the reader is only to be dropped.
  Result<Frame> next();

 private:
  explicit FrameReader(Bytes plaintext) : plaintext_(plaintext) {}

  Bytes plaintext_;
  std::size_t offset_ = 0;
};

// `length` is at most kFramePayloadBytesMax; the payload is to follow.
void write_frame_header(Writer& out, FrameType type, StreamId stream, std::size_t length);

// What the ratchet needs to know of a record; the same function for sender and receiver.
enum class RecordKind : std::uint8_t {
  counted,    // spends the epoch's budget
  uncounted,  // may travel under a spent epoch
  ratchet,    // one OFFER or ACK: not for the multiplexer
};
bool is_counted(FrameType type);
// Looks at every frame header and at no payload.
Result<RecordKind> classify_record(Bytes plaintext);

// The one frame of a record of kind `ratchet`: its type and message.
struct RatchetFrame {
  FrameType type;  // offer or ack
  Bytes message;
};
// `plaintext` has been classified as `ratchet`.
RatchetFrame ratchet_frame(Bytes plaintext);
// Fills the front of `space` with a record that holds `message` alone and returns its size.
// The message is 1 to kFramePayloadBytesMax bytes and `space` has room for it.
std::size_t format_ratchet_record(FrameType type, Bytes message, MutableBytes space);

}  // namespace karst::wire
