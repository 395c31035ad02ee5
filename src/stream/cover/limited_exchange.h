#pragma once

#include <memory>

#include "stream/cover/exchange.h"
#include "stream/cover/work_limit.h"

namespace karst::stream::cover {

// An exchange that waits for its turn before its request is begun, and whose request's body is
// bounded: beyond kBodyBytesMax the answer is 413, or if it has begun, it breaks off. The limit and
// the handler behind it outlive the exchange.
class LimitedExchange final : public Exchange {
 public:
  LimitedExchange(WorkLimit& limit, Handler& handler, Request request, ConnectionKey connection,
                  const Moment& moment);

  std::size_t input_room() const override;
  void input(Bytes bytes, const Moment& moment) override;
  void input_end(const Moment& moment) override;
  std::optional<Response> poll_response(const Moment& moment) override;
  Bytes output() const override { return inner_ ? inner_->output() : Bytes(); }
  void consume(std::size_t count, const Moment& moment) override;
  Ending ending() const override;
  std::size_t held_bytes() const override { return inner_ ? inner_->held_bytes() : 0; }
  std::optional<TimePoint> next_deadline() const override;
  void handle_deadline(const Moment& moment) override;

 private:
  // If it is its turn and that has not been done.
  void begin(const Moment& moment);
  void give_up_places();

  WorkLimit& limit_;
  WorkLimit::Ticket ticket_;
  Handler& handler_;
  std::string method_;
  std::optional<Request> waiting_;  // until it is begun
  ConnectionKey connection_;
  std::unique_ptr<Exchange> inner_;
  std::uint64_t received_ = 0;
  bool is_socket_ = false;
  bool input_ended_;
  bool overfull_ = false;
  bool head_given_ = false;
  bool broken_ = false;
};

}  // namespace karst::stream::cover
