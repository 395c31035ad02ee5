#include "stream/cover/answer.h"

#include <utility>

#include "base/check.h"
#include "stream/cover/http_date.h"

namespace karst::stream::cover {

Response start_response(int status, std::string_view type, std::size_t length,
                        const Moment& moment) {
  Response response;
  response.status = status;
  response.headers.put("date", http_date(moment.wall));
  response.headers.put("content-type", type);
  response.headers.put("content-length", std::to_string(length));
  return response;
}

Answer error_answer(int status, const Moment& moment) {
  const std::string title = std::to_string(status) + " " + std::string(reason_phrase(status));
  const auto page = std::make_shared<const std::string>(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>" + title +
      "</title></head>\n<body><h1>" + title + "</h1></body>\n</html>\n");
  Response head = start_response(status, "text/html", page->size(), moment);
  head.ends_connection = status == 400 || status == 413 || status == 414 || status == 431;
  return {std::move(head), as_bytes(*page), page};
}

AnsweredExchange::AnsweredExchange(Answer answer, std::string_view method)
    : answer_(std::move(answer)) {
  if (method == "HEAD") answer_.body = {};
}

std::optional<Response> AnsweredExchange::poll_response(const Moment& moment) {
  if (std::exchange(head_given_, true)) return std::nullopt;
  taken_ = moment.now;
  return std::move(answer_.head);
}

void AnsweredExchange::consume(std::size_t count, const Moment& moment) {
  CHECK(count <= output().size());
  taken_ = moment.now;
  answer_.body = answer_.body.subspan(count);
}

Exchange::Ending AnsweredExchange::ending() const {
  if (broken_) return Ending::broken;
  return head_given_ ? Ending::complete : Ending::open;
}

std::optional<TimePoint> AnsweredExchange::next_deadline() const {
  if (!head_given_ || broken_ || answer_.body.empty()) return std::nullopt;
  return taken_ + kSendTimeout;
}

void AnsweredExchange::handle_deadline(const Moment& moment) {
  const auto due = next_deadline();
  if (due && *due <= moment.now) broken_ = true;
}

}  // namespace karst::stream::cover
