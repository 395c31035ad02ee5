#include "stream/cover/live_exchange.h"

#include <array>
#include <utility>

#include "stream/cover/http_date.h"

namespace karst::stream::cover {

using websocket::Opcode;

LiveExchange::LiveExchange(LiveRoom& room, const Moment& moment)
    : socket_(room, moment),
      decoder_(websocket::Role::server, kLiveMessageBytesMax),
      encoder_(websocket::Role::server, Prng(0)) {}  // A server masks nothing.

std::size_t LiveExchange::input_room() const {
  // Who does not read the answers is not heard.
  const bool is_full = output_.size() >= kLiveOutputBytesMax;
  return state_ == State::open && is_full ? 0 : kRelayBytesMax;
}

void LiveExchange::input(Bytes bytes, const Moment& moment) {
  while (state_ == State::open || state_ == State::closing) {
    const auto message = decoder_.decode(bytes);
    if (!message.ok()) {
      if (state_ == State::open) write_close(static_cast<std::uint16_t>(message.error().detail()));
      state_ = State::closed;
      return;
    }
    if (!message->has_value()) return;
    on_message(**message, moment);
  }
}

void LiveExchange::on_message(const websocket::Message& message, const Moment& moment) {
  if (state_ == State::closing && message.opcode != Opcode::close) return;
  switch (message.opcode) {
    case Opcode::text:
      socket_.on_text(as_text(message.payload), moment);
      break;
    case Opcode::binary:
      socket_.on_binary(moment);
      break;
    case Opcode::ping:
      socket_.on_pong(moment);
      write(Opcode::pong, message.payload);
      break;
    case Opcode::pong:
      socket_.on_pong(moment);
      break;
    case Opcode::close:
      if (state_ == State::open) write_close(message.close_code);
      state_ = State::closed;
      return;
    case Opcode::continuation:
      break;  // The decoder joins fragments.
  }
  speak(moment);
}

void LiveExchange::input_end(const Moment&) { state_ = State::closed; }

std::optional<Response> LiveExchange::poll_response(const Moment& moment) {
  if (std::exchange(head_given_, true)) return std::nullopt;
  Response response;
  response.status = 101;
  response.is_socket = true;
  response.headers.put("date", http_date(moment.wall));
  speak(moment);
  return response;
}

void LiveExchange::consume(std::size_t count, const Moment&) { output_.consume(count); }

Exchange::Ending LiveExchange::ending() const {
  if (state_ == State::broken) return Ending::broken;
  const bool is_last = output_.size() == output_.front().size();
  return state_ == State::closed && head_given_ && is_last ? Ending::complete : Ending::open;
}

std::optional<TimePoint> LiveExchange::next_deadline() const {
  if (state_ == State::open) return socket_.next_deadline();
  if (state_ == State::closing) return close_due_;
  return std::nullopt;
}

void LiveExchange::handle_deadline(const Moment& moment) {
  if (state_ == State::open) {
    socket_.handle_deadline(moment);
    speak(moment);
  } else if (state_ == State::closing && moment.now >= close_due_) {
    state_ = output_.empty() ? State::closed : State::broken;
  }
}

void LiveExchange::speak(const Moment& moment) {
  while (const auto message = socket_.poll_message()) {
    switch (message->kind) {
      case LiveSocket::Message::Kind::text:
        // News for someone who does not read are better dropped than kept.
        if (output_.size() < kLiveOutputBytesMax) write(Opcode::text, as_bytes(message->text));
        break;
      case LiveSocket::Message::Kind::ping:
        write(Opcode::ping, {});
        break;
      case LiveSocket::Message::Kind::close:
        write_close(message->close_code);
        state_ = State::closing;
        close_due_ = moment.now + kLiveCloseTimeout;
        break;
    }
  }
}

void LiveExchange::write(Opcode opcode, Bytes payload) {
  ByteVector frame(encoder_.frame_bytes(payload.size()));
  encoder_.encode(opcode, payload, frame);
  output_.append(frame);
}

void LiveExchange::write_close(std::uint16_t code) {
  std::array<std::uint8_t, websocket::kMaxHeaderBytes + websocket::kMaxControlBytes> frame;
  const std::size_t size = encoder_.encode_close(code, "", frame);
  output_.append(Bytes(frame).first(size));
}

}  // namespace karst::stream::cover
