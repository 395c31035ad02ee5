#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/byte_queue.h"
#include "stream/cover/answer.h"
#include "stream/cover/backend_request.h"
#include "stream/cover/backend_response.h"

namespace karst::stream::cover {

// One request relayed to the backend over a connection of its own: the Exchange towards the client,
// and towards the driver's socket the calls of Backend for one id. What cannot be had from the
// backend is answered 502. When nothing has moved for kBackendTimeout, be it for the backend or for
// the client, that is the end: 504, or 408 to a client that has not sent its body. Once the answer
// has begun, all of these break it off.
class BackendExchange : public Exchange {
 public:
  // `authority` is the backend's own; `socket_key` a fresh Sec-WebSocket-Key if the request is the
  // opening handshake of a WebSocket, else empty.
  BackendExchange(const Request& request, std::string_view authority, std::string socket_key,
                  const Moment& moment);

  std::size_t input_room() const override;
  void input(Bytes bytes, const Moment& moment) override;
  void input_end(const Moment& moment) override;
  std::optional<Response> poll_response(const Moment& moment) override;
  Bytes output() const override;
  void consume(std::size_t count, const Moment& moment) override;
  Ending ending() const override;
  std::size_t held_bytes() const override {
    return to_backend_.footprint() + response_.body().footprint();
  }
  std::optional<TimePoint> next_deadline() const override;
  void handle_deadline(const Moment& moment) override;

  // False when the request itself was refused: there is nothing to connect for.
  bool wants_backend() const { return !instead_; }
  void opened(const Moment& moment);
  void failed(const Moment& moment);
  std::size_t read_room() const;
  void received(Bytes bytes, const Moment& moment);
  void ended(const Moment& moment);
  std::optional<std::size_t> poll_output(MutableBytes space, const Moment& moment);

 private:
  // What we send of the request's body.
  struct Upload {
    BodyFraming framing = BodyFraming::none;
    std::uint64_t left = 0;  // of BodyFraming::length
    bool ended = false;
  };
  void give_up(int status, const Moment& moment);
  void send(Bytes body);
  bool is_over() const;
  bool waits_for_client() const;

  Upload upload_;
  BackendResponse response_;
  ByteQueue to_backend_;
  bool opened_ = false;
  bool head_given_ = false;
  bool broken_ = false;
  std::string method_;
  TimePoint life_;                             // the last sign of it from either side
  std::unique_ptr<AnsweredExchange> instead_;  // our own answer, for want of the backend's
};

}  // namespace karst::stream::cover
