#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "stream/cover/exchange.h"

namespace karst::stream::cover {

// A whole answer that is in memory already. `owner` keeps `body` alive.
struct Answer {
  Response head;
  Bytes body;
  std::shared_ptr<const void> owner;
};

// Headers as every answer of ours starts with them: date, content-type, content-length.
Response start_response(int status, std::string_view type, std::size_t length,
                        const Moment& moment);

// A plain page that says the status, for what went wrong.
Answer error_answer(int status, const Moment& moment);

// Gives an Answer, and drops whatever body the request has. `method` HEAD gives no body. A client
// that takes nothing for kSendTimeout is broken off.
class AnsweredExchange final : public Exchange {
 public:
  AnsweredExchange(Answer answer, std::string_view method);

  std::size_t input_room() const override { return kRelayBytesMax; }
  void input(Bytes, const Moment&) override {}
  void input_end(const Moment&) override {}
  std::optional<Response> poll_response(const Moment& moment) override;
  Bytes output() const override { return head_given_ ? answer_.body : Bytes(); }
  void consume(std::size_t count, const Moment&) override;
  Ending ending() const override;
  std::optional<TimePoint> next_deadline() const override;
  void handle_deadline(const Moment& moment) override;

 private:
  Answer answer_;
  TimePoint taken_{};  // when the client last took something
  bool head_given_ = false;
  bool broken_ = false;
};

}  // namespace karst::stream::cover
