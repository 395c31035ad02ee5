#pragma once

#include "base/byte_queue.h"
#include "stream/cover/exchange.h"
#include "stream/cover/live_socket.h"
#include "stream/websocket/decoder.h"
#include "stream/websocket/encoder.h"

namespace karst::stream::cover {

// The live page's WebSocket as an Exchange: frames in, frames out, the same over HTTP/1.1 and
// HTTP/2. Answers pings and the closing handshake (RFC 6455 section 7) itself.
class LiveExchange final : public Exchange {
 public:
  // The room outlives the exchange.
  LiveExchange(LiveRoom& room, const Moment& moment);

  std::size_t input_room() const override;
  void input(Bytes bytes, const Moment& moment) override;
  void input_end(const Moment& moment) override;
  std::optional<Response> poll_response(const Moment& moment) override;
  Bytes output() const override { return output_.front(); }
  void consume(std::size_t count, const Moment& moment) override;
  Ending ending() const override;
  std::size_t held_bytes() const override { return decoder_.held_bytes() + output_.footprint(); }
  std::optional<TimePoint> next_deadline() const override;
  void handle_deadline(const Moment& moment) override;

 private:
  enum class State : std::uint8_t {
    open,
    closing,  // our close frame is out, theirs is awaited
    closed,   // nothing more to be said, output_ is the rest
    broken,
  };
  void on_message(const websocket::Message& message, const Moment& moment);
  // Writes what the socket has to say.
  void speak(const Moment& moment);
  void write(websocket::Opcode opcode, Bytes payload);
  void write_close(std::uint16_t code);

  LiveSocket socket_;
  websocket::Decoder decoder_;
  websocket::Encoder encoder_;
  ByteQueue output_;
  State state_ = State::open;
  bool head_given_ = false;
  TimePoint close_due_{};
};

}  // namespace karst::stream::cover
