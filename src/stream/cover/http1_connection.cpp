#include "stream/cover/http1_connection.h"

#include <algorithm>
#include <utility>

#include "stream/cover/answer.h"
#include "stream/cover/http1_request_parser.h"
#include "stream/cover/http1_response_writer.h"

namespace karst::stream::cover {

class Http1Connection::Core final : Http1RequestParser::BodySink {
 public:
  Core(Options options, Handler& handler, const Moment& moment)
      : options_(std::move(options)),
        handler_(handler),
        parser_(*this),
        moment_(moment),
        read_due_(moment.now + kRequestHeaderTimeout) {}

  std::size_t handle_input(Bytes bytes, const Moment& moment);
  void handle_end(const Moment& moment);
  std::optional<std::size_t> poll_output(MutableBytes space, const Moment& moment);
  std::optional<TimePoint> next_deadline() const;
  void handle_deadline(const Moment& moment);
  bool finished() const { return finished_; }
  std::size_t held_bytes() const {
    const bool has_exchange = turn_ && turn_->exchange;
    return parser_.held_bytes() + writer_.held_bytes() +
           (has_exchange ? turn_->exchange->held_bytes() : 0);
  }
  std::optional<Error> error() const { return error_; }

 private:
  // One request and its answer.
  struct Turn {
    std::unique_ptr<Exchange> exchange;
    Http1ResponseWriter::Situation situation;
    bool awaits_continue = false;  // The client holds its body back until we say so.
    bool input_ended = false;      // Nothing is read for it, or not before the answer's head.
    bool head_given = false;
    bool is_socket = false;
    bool answered = false;  // The exchange has given all.
  };

  void on_body(Bytes bytes) override { turn_->exchange->input(bytes, moment_); }
  // Both return whether there may be more to read at once.
  bool read_request(Bytes& input);
  bool read_for_turn(Bytes& input);
  void begin_turn();
  void refuse(int status);
  // Puts what the exchange has ready into the empty writer.
  void answer();
  void start_answer(const Response& response);
  // Goes on to the next request if this one is done with.
  void end_turn();
  void finish(std::optional<Error> error = std::nullopt);
  bool waits_for_input() const;
  void note_unsent();

  Options options_;
  Handler& handler_;
  Http1RequestParser parser_;
  Http1ResponseWriter writer_;
  std::optional<Turn> turn_;
  Moment moment_;
  TimePoint read_due_;                     // for the client's next bytes, while we wait for them
  std::optional<TimePoint> unsent_since_;  // the client takes nothing of what is ready
  bool client_ended_ = false;
  bool finished_ = false;
  std::optional<Error> error_;
};

std::size_t Http1Connection::Core::handle_input(Bytes bytes, const Moment& moment) {
  moment_ = moment;
  const std::size_t offered = bytes.size();
  while (!bytes.empty() && !finished_) {
    if (turn_ ? !read_for_turn(bytes) : !read_request(bytes)) break;
  }
  note_unsent();
  return finished_ ? offered : offered - bytes.size();
}

bool Http1Connection::Core::read_request(Bytes& input) {
  if (!parser_.is_in_request()) read_due_ = moment_.now + kRequestHeaderTimeout;
  switch (parser_.parse(input)) {
    case Http1RequestParser::Event::head:
      begin_turn();
      break;
    case Http1RequestParser::Event::bad:
      refuse(parser_.status());
      break;
    case Http1RequestParser::Event::none:
    case Http1RequestParser::Event::end:
      break;
  }
  return true;
}

void Http1Connection::Core::begin_turn() {
  Http1RequestParser::Head head = parser_.take_head();
  head.request.client = options_.client;
  const bool has_body = head.request.has_body;
  const bool is_handshake = !head.request.protocol.empty();
  turn_ = Turn{.exchange = nullptr,
               .situation = {.answers_head = head.request.method == "HEAD",
                             .is_http11 = head.is_http11,
                             .keep_alive = head.keep_alive,
                             .socket_key = std::move(head.socket_key)},
               .awaits_continue = has_body && head.expects_continue,
               .input_ended = !has_body};
  read_due_ = moment_.now + kRequestBodyTimeout;
  turn_->exchange = handler_.begin(std::move(head.request), options_.key, moment_);
  if (!has_body && !is_handshake) turn_->exchange->input_end(moment_);
  // An answer that is there already begins here and not when somebody asks for output: what the
  // client sends behind its request must not make a difference to it.
  answer();
}

bool Http1Connection::Core::read_for_turn(Bytes& input) {
  Turn& turn = *turn_;
  if (turn.input_ended && !turn.is_socket) return false;
  const std::size_t room = turn.exchange->input_room();
  if (room == 0) return false;
  if (turn.awaits_continue && !turn.head_given) {
    // The same is said to a client that does not wait, so that it does not matter when we look.
    answer();
    if (!turn_) return true;
  }
  Bytes piece = input.first(std::min(room, input.size()));
  const std::size_t offered = piece.size();
  read_due_ = moment_.now + kRequestBodyTimeout;
  if (turn.is_socket) {
    turn.exchange->input(piece, moment_);
    input = input.subspan(offered);
    return true;
  }
  const Http1RequestParser::Event event = parser_.parse(piece);
  input = input.subspan(offered - piece.size());
  if (event == Http1RequestParser::Event::bad) {
    refuse(parser_.status());
  } else if (event == Http1RequestParser::Event::end) {
    turn.input_ended = true;
    turn.exchange->input_end(moment_);
    end_turn();
  }
  return true;
}

void Http1Connection::Core::handle_end(const Moment& moment) {
  moment_ = moment;
  client_ended_ = true;
  if (!turn_ || (!turn_->input_ended && !turn_->is_socket)) return finish();
  if (turn_->is_socket) turn_->exchange->input_end(moment);
}

// The parser has lost its place: what was going on ends with this page, or with the answer that has
// begun.
void Http1Connection::Core::refuse(int status) {
  error_ = Error(kBadRequest, status);
  if (turn_ && turn_->head_given) {
    turn_->input_ended = true;
    client_ended_ = true;
    return end_turn();
  }
  turn_ = Turn{.exchange = std::make_unique<AnsweredExchange>(error_answer(status, moment_), "GET"),
               .situation = {.answers_head = false,
                             .is_http11 = true,
                             .keep_alive = false,
                             .socket_key = {}},
               .input_ended = true};
}

std::optional<std::size_t> Http1Connection::Core::poll_output(MutableBytes space,
                                                              const Moment& moment) {
  moment_ = moment;
  std::size_t written = 0;
  while (turn_ && written < space.size()) {
    if (writer_.empty()) answer();
    if (writer_.empty()) break;
    written += writer_.poll(space.subspan(written));
    end_turn();
  }
  if (written > 0) unsent_since_.reset();
  note_unsent();
  return written > 0 ? std::optional(written) : std::nullopt;
}

void Http1Connection::Core::answer() {
  Turn& turn = *turn_;
  if (!turn.head_given) {
    const std::optional<Response> response = turn.exchange->poll_response(moment_);
    if (response) {
      start_answer(*response);
    } else if (turn.awaits_continue && turn.exchange->input_room() > 0) {
      turn.awaits_continue = false;
      writer_.say_continue();
    }
    if (!response) return;
  }
  if (turn.answered) return;
  if (turn.exchange->ending() == Exchange::Ending::broken) return finish();
  const bool is_last = turn.exchange->ending() == Exchange::Ending::complete;
  writer_.take_body(*turn.exchange, moment_);
  if (!is_last || !turn.exchange->output().empty()) return;
  turn.answered = true;
  writer_.finish_body();
  end_turn();
}

void Http1Connection::Core::start_answer(const Response& response) {
  Turn& turn = *turn_;
  turn.head_given = true;
  turn.is_socket = response.is_socket;
  // A client that was not told to go on may or may not send its body (RFC 9110 section 10.1.1).
  const bool is_last = turn.awaits_continue || response.ends_connection || client_ended_;
  if (is_last) turn.situation.keep_alive = false;
  writer_.start(response, turn.situation);
  if (turn.is_socket && client_ended_) turn.exchange->input_end(moment_);
}

void Http1Connection::Core::end_turn() {
  if (!turn_->answered || !writer_.empty()) return;
  if (!writer_.keeps_alive() || turn_->is_socket || client_ended_) return finish();
  if (!turn_->input_ended) return;  // The rest of the body is read and dropped.
  turn_.reset();
  read_due_ = moment_.now + kKeepAliveTimeout;
}

void Http1Connection::Core::finish(std::optional<Error> error) {
  if (!error_) error_ = error;
  finished_ = true;
  turn_.reset();
  writer_.drop();
}

bool Http1Connection::Core::waits_for_input() const {
  if (!turn_) return true;
  return !turn_->input_ended && turn_->exchange->input_room() > 0;
}

void Http1Connection::Core::note_unsent() {
  const bool has_unsent =
      turn_ && (!writer_.empty() || (turn_->head_given && !turn_->exchange->output().empty()));
  if (!has_unsent) unsent_since_.reset();
  if (has_unsent && !unsent_since_) unsent_since_ = moment_.now;
}

std::optional<TimePoint> Http1Connection::Core::next_deadline() const {
  if (finished_) return std::nullopt;
  std::optional<TimePoint> next;
  const auto consider = [&](std::optional<TimePoint> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  if (waits_for_input()) consider(read_due_);
  if (unsent_since_) consider(*unsent_since_ + kSendTimeout);
  if (turn_) consider(turn_->exchange->next_deadline());
  return next;
}

void Http1Connection::Core::handle_deadline(const Moment& moment) {
  moment_ = moment;
  if (finished_) return;
  if (unsent_since_ && *unsent_since_ + kSendTimeout <= moment.now) return finish(kClientTimeout);
  if (waits_for_input() && read_due_ <= moment.now) {
    // An idle connection simply ends.
    if (turn_ || parser_.is_in_request()) return finish(kClientTimeout);
    return finish();
  }
  if (!turn_) return;
  const auto due = turn_->exchange->next_deadline();
  if (due && *due <= moment.now) turn_->exchange->handle_deadline(moment);
  note_unsent();
}

Http1Connection::Http1Connection(Options options, Handler& handler, const Moment& moment)
    : core_(std::make_unique<Core>(std::move(options), handler, moment)) {}

Http1Connection::~Http1Connection() = default;

std::size_t Http1Connection::handle_input(Bytes bytes, const Moment& moment) {
  return core_->handle_input(bytes, moment);
}

void Http1Connection::handle_end(const Moment& moment) { core_->handle_end(moment); }

std::optional<std::size_t> Http1Connection::poll_output(MutableBytes space, const Moment& moment) {
  return core_->poll_output(space, moment);
}

std::optional<TimePoint> Http1Connection::next_deadline() const { return core_->next_deadline(); }

void Http1Connection::handle_deadline(const Moment& moment) { core_->handle_deadline(moment); }

std::size_t Http1Connection::held_bytes() const { return core_->held_bytes(); }
bool Http1Connection::finished() const { return core_->finished(); }

std::optional<Error> Http1Connection::error() const { return core_->error(); }

}  // namespace karst::stream::cover
