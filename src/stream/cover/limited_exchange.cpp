#include "stream/cover/limited_exchange.h"

#include <utility>

#include "stream/cover/answer.h"

namespace karst::stream::cover {

LimitedExchange::LimitedExchange(WorkLimit& limit, Handler& handler, Request request,
                                 ConnectionKey connection, const Moment& moment)
    : limit_(limit),
      ticket_(limit, connection),
      handler_(handler),
      method_(request.method),
      waiting_(std::move(request)),
      connection_(connection),
      input_ended_(!waiting_->has_body && waiting_->protocol.empty()) {
  begin(moment);
}

void LimitedExchange::begin(const Moment& moment) {
  if (!waiting_ || !ticket_.has_turn()) return;
  inner_ = handler_.begin(*std::exchange(waiting_, std::nullopt), connection_, moment);
  if (input_ended_) inner_->input_end(moment);
  give_up_places();
}

void LimitedExchange::give_up_places() {
  const bool waits_for_client = !input_ended_ && inner_->input_room() > 0;
  if (waits_for_client || head_given_) ticket_.give_up_process_place();
  if (is_socket_) ticket_.give_up_all();
}

std::size_t LimitedExchange::input_room() const { return inner_ ? inner_->input_room() : 0; }

void LimitedExchange::input(Bytes bytes, const Moment& moment) {
  received_ += bytes.size();
  const bool is_too_much = received_ > kBodyBytesMax && !is_socket_;
  if (is_too_much && !std::exchange(overfull_, true)) {
    if (head_given_) {
      broken_ = true;
    } else {
      inner_ = std::make_unique<AnsweredExchange>(error_answer(413, moment), method_);
    }
  }
  inner_->input(bytes, moment);
  give_up_places();
}

void LimitedExchange::input_end(const Moment& moment) {
  if (std::exchange(input_ended_, true)) return;
  if (inner_) inner_->input_end(moment);
}

std::optional<Response> LimitedExchange::poll_response(const Moment& moment) {
  if (waiting_ && ticket_.has_turn()) {
    begin(moment);
    // There is room for the body now, which whoever asks for the head does not look for.
    if (!input_ended_) limit_.wake(connection_);
  }
  if (!inner_) return std::nullopt;
  std::optional<Response> response = inner_->poll_response(moment);
  if (response) {
    head_given_ = true;
    is_socket_ = response->is_socket;
  }
  give_up_places();
  return response;
}

void LimitedExchange::consume(std::size_t count, const Moment& moment) {
  inner_->consume(count, moment);
}

Exchange::Ending LimitedExchange::ending() const {
  if (broken_) return Ending::broken;
  return inner_ ? inner_->ending() : Ending::open;
}

std::optional<TimePoint> LimitedExchange::next_deadline() const {
  return inner_ ? inner_->next_deadline() : std::nullopt;
}

void LimitedExchange::handle_deadline(const Moment& moment) {
  if (inner_) inner_->handle_deadline(moment);
}

}  // namespace karst::stream::cover
