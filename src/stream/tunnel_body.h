#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "base/bytes.h"
#include "base/prng.h"
#include "base/time.h"
#include "stream/http2/body.h"
#include "stream/websocket/encoder.h"

namespace karst::stream {

// Where a tunnel's sealed records come from.
class RecordSource {
 public:
  // The largest record: a full one fills one TLS record exactly (docs/protocol/stream.md).
  static constexpr std::size_t kRecordBytesMax = 16'367;

  // Writes the next record to the front of `space` (kRecordBytesMax) and says how long it is, or 0
  // when nothing is to be sent or may be sent now.
  virtual std::size_t poll_record(MutableBytes space, TimePoint now) = 0;

 protected:
  ~RecordSource() = default;
};

// What one end of the tunnel's WebSocket sends, chosen as late as HTTP/2 asks for it: control
// frames first, then handshake messages, then records of the source, each one binary message;
// after close() what was queued and a close frame, then the end of the stream.
// The owner calls set_now() before each Session::poll_output(), and Session::resume() after
// anything here or in the source has become ready.
class TunnelBody final : public http2::BodySource {
 public:
  TunnelBody(websocket::Role role, Prng masks) : encoder_(role, masks) {}

  void set_now(TimePoint now) { now_ = now; }
  // A handshake message; not after close().
  void push(Bytes message);
  // Borrowed until the stream has closed. Null stops records.
  void set_source(RecordSource* source) { source_ = source; }
  // Answers a ping. At most one is kept: RFC 6455 section 5.5.3 asks only for the latest.
  void pong(Bytes payload);
  // One more record of the source, if it has one: its last word before close().
  void push_last_record(TimePoint now);
  // No more records. A second call changes nothing.
  void close(std::uint16_t code);
  bool closing() const { return closing_; }

  Chunk next(std::size_t max) override;
  void write(MutableBytes space) override;

 private:
  bool stage_record();

  websocket::Encoder encoder_;
  TimePoint now_{};
  RecordSource* source_ = nullptr;
  std::deque<ByteVector> frames_;  // encoded, to go before any record
  ByteVector pong_;                // encoded
  bool closing_ = false;
  // The frame that is being handed out: staged_[begin_, end_).
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::array<std::uint8_t, websocket::kMaxHeaderBytes + RecordSource::kRecordBytesMax> staged_;
};

}  // namespace karst::stream
