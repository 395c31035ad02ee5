#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/byte_queue.h"
#include "stream/cover/http1_connection.h"

// For the tests of what speaks HTTP/1.1: a client's side, and a handler that does what it is told.
namespace karst::stream::cover {

inline constexpr Moment kTestStart{TimePoint(std::chrono::seconds(1000)), {784'111'777}};

// What the tests do to an exchange, and see of it. Outlives the exchange.
struct Script {
  std::optional<Response> response;
  std::string output;
  Exchange::Ending ending = Exchange::Ending::open;  // once `output` is empty
  std::size_t room = 1000;
  std::optional<TimePoint> deadline;

  Request request;
  std::string input;
  bool input_ended = false;
  bool deadline_handled = false;
  bool is_gone = false;
};

class ScriptedExchange final : public Exchange {
 public:
  explicit ScriptedExchange(Script& script) : script_(script) {}
  ~ScriptedExchange() override { script_.is_gone = true; }
  std::size_t input_room() const override { return script_.room; }
  void input(Bytes bytes, const Moment&) override { script_.input += as_text(bytes); }
  void input_end(const Moment&) override { script_.input_ended = true; }
  std::optional<Response> poll_response(const Moment&) override {
    return std::exchange(script_.response, std::nullopt);
  }
  Bytes output() const override { return as_bytes(script_.output); }
  void consume(std::size_t count, const Moment&) override { script_.output.erase(0, count); }
  Ending ending() const override { return script_.ending; }
  std::optional<TimePoint> next_deadline() const override { return script_.deadline; }
  void handle_deadline(const Moment&) override {
    script_.deadline_handled = true;
    script_.deadline.reset();
  }

 private:
  Script& script_;
};

class ScriptedHandler final : public Handler {
 public:
  Script script;
  int begun = 0;

  std::unique_ptr<Exchange> begin(Request request, ConnectionKey, const Moment&) override {
    ++begun;
    script.request = std::move(request);
    script.input.clear();
    script.input_ended = script.is_gone = false;
    return std::make_unique<ScriptedExchange>(script);
  }
};

inline Response response(int status, std::initializer_list<Header> headers = {}) {
  Response made;
  made.status = status;
  for (const Header& header : headers) made.headers.put(header.name, header.value);
  return made;
}

// The peer of an Http1Connection: keeps what was not taken, as a driver does.
class Http1Client {
 public:
  explicit Http1Client(Handler& handler)
      : connection_({ConnectionKey{1}, "192.0.2.7"}, handler, moment) {}

  // Sends text, and returns all that comes back.
  std::string send(std::string_view text) {
    unread_ += text;
    return pump();
  }
  std::string pump() {
    std::string received;
    for (bool moved = true; moved;) {
      const std::size_t taken = connection_.handle_input(as_bytes(unread_), moment);
      unread_.erase(0, taken);
      const std::string some = poll();
      received += some;
      moved = !some.empty() || (taken > 0 && !unread_.empty());
    }
    return received;
  }
  std::string poll(std::size_t space_bytes = 4096) {
    std::string received;
    ByteVector space(space_bytes);
    while (const auto count = connection_.poll_output(space, moment)) {
      received += as_text(Bytes(space).first(*count));
    }
    return received;
  }
  std::string end() {
    connection_.handle_end(moment);
    return pump();
  }
  // Time passes up to the next deadline, which is handled. Returns the seconds that took.
  long run_to_deadline() {
    const auto due = connection_.next_deadline();
    if (!due) return -1;
    const Duration time = *due - moment.now;
    moment.now = *due;
    connection_.handle_deadline(moment);
    return std::chrono::duration_cast<std::chrono::seconds>(time).count();
  }

  Http1Connection& connection() { return connection_; }
  bool finished() const { return connection_.finished(); }
  std::size_t unread() const { return unread_.size(); }

  Moment moment = kTestStart;

 private:
  Http1Connection connection_;
  std::string unread_;
};

// "HTTP/1.1 200 OK", the first line of what was received.
inline std::string status_line(std::string_view received) {
  return std::string(received.substr(0, received.find("\r\n")));
}

}  // namespace karst::stream::cover
