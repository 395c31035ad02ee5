#include "stream/cover/backend_exchange.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "stream/cover/byte_range.h"

namespace karst::stream::cover {
namespace {

// "ffff\r\n" before and "\r\n" behind the at most kRelayBytesMax bytes of a chunk, and the last
// chunk "0\r\n\r\n".
constexpr std::size_t kChunkFramingBytes = 32;

}  // namespace

BackendExchange::BackendExchange(const Request& request, std::string_view authority,
                                 std::string socket_key, const Moment& moment)
    : response_({request.method == "HEAD", socket_key}),
      method_(request.method),
      life_(moment.now) {
  upload_.framing = body_framing(request);
  const auto head = format_backend_request(request, authority, socket_key);
  if (!head) {
    give_up(400, moment);
    return;
  }
  if (upload_.framing == BodyFraming::length) {
    upload_.left = *parse_decimal(*request.headers.find("content-length"));
  }
  to_backend_.append(as_bytes(*head));
}

std::size_t BackendExchange::input_room() const {
  if (is_over()) return kRelayBytesMax;  // What still comes is dropped.
  const bool is_unopened_socket =
      upload_.framing == BodyFraming::socket && response_.state() == BackendResponse::State::head;
  if (is_unopened_socket) return 0;  // Frames before the 101 would be taken for a second request.
  const std::size_t held = to_backend_.size() + kChunkFramingBytes;
  return held < kRelayBytesMax ? kRelayBytesMax - held : 0;
}

void BackendExchange::input(Bytes bytes, const Moment& moment) {
  if (is_over() || bytes.empty()) return;
  life_ = moment.now;
  send(bytes);
}

void BackendExchange::send(Bytes body) {
  switch (upload_.framing) {
    case BodyFraming::none:
      break;
    case BodyFraming::length: {
      // More than announced would be taken for a second request.
      const std::size_t count = std::min<std::uint64_t>(body.size(), upload_.left);
      upload_.left -= count;
      to_backend_.append(body.first(count));
      break;
    }
    case BodyFraming::chunked: {
      std::array<char, 16> size;
      const auto end = std::to_chars(size.data(), size.data() + size.size(), body.size(), 16).ptr;
      to_backend_.append(as_bytes(std::string_view(size.data(), end)));
      to_backend_.append(as_bytes("\r\n"));
      to_backend_.append(body);
      to_backend_.append(as_bytes("\r\n"));
      break;
    }
    case BodyFraming::socket:
      to_backend_.append(body);
      break;
  }
}

void BackendExchange::input_end(const Moment& moment) {
  if (is_over() || std::exchange(upload_.ended, true)) return;
  life_ = moment.now;
  if (upload_.framing == BodyFraming::chunked) to_backend_.append(as_bytes("0\r\n\r\n"));
  if (upload_.framing == BodyFraming::length && upload_.left > 0) give_up(400, moment);
  if (upload_.framing == BodyFraming::socket) {
    // A WebSocket has no half: what the backend has said so far is the last of it.
    if (response_.state() == BackendResponse::State::head) broken_ = true;
    if (response_.state() == BackendResponse::State::socket) response_.end();
  }
}

std::optional<Response> BackendExchange::poll_response(const Moment& moment) {
  if (instead_) return instead_->poll_response(moment);
  std::optional<Response> head = response_.poll_head(moment);
  if (head) head_given_ = true;
  return head;
}

Bytes BackendExchange::output() const {
  if (instead_) return instead_->output();
  return head_given_ ? response_.body().front() : Bytes();
}

void BackendExchange::consume(std::size_t count, const Moment& moment) {
  if (instead_) return instead_->consume(count, moment);
  life_ = moment.now;
  response_.body().consume(count);
}

Exchange::Ending BackendExchange::ending() const {
  if (instead_) return instead_->ending();
  if (broken_) return Ending::broken;
  const ByteQueue& body = response_.body();
  const bool is_last = body.size() == body.front().size();
  const bool complete = head_given_ && response_.state() == BackendResponse::State::complete;
  return complete && is_last ? Ending::complete : Ending::open;
}

bool BackendExchange::is_over() const {
  return instead_ || broken_ || response_.state() == BackendResponse::State::complete ||
         response_.state() == BackendResponse::State::failed;
}

bool BackendExchange::waits_for_client() const {
  const bool has_body =
      upload_.framing == BodyFraming::length || upload_.framing == BodyFraming::chunked;
  const bool wants_more = has_body && !upload_.ended;
  return opened_ && wants_more && to_backend_.empty() &&
         response_.state() == BackendResponse::State::head;
}

std::optional<TimePoint> BackendExchange::next_deadline() const {
  if (instead_) return instead_->next_deadline();
  if (broken_) return std::nullopt;
  if (response_.state() == BackendResponse::State::socket) return life_ + kBackendSocketTimeout;
  if (is_over() && response_.body().empty()) return std::nullopt;
  return life_ + kBackendTimeout;
}

void BackendExchange::handle_deadline(const Moment& moment) {
  if (instead_) return instead_->handle_deadline(moment);
  const auto due = next_deadline();
  if (due && *due <= moment.now) give_up(waits_for_client() ? 408 : 504, moment);
}

void BackendExchange::opened(const Moment& moment) {
  opened_ = true;
  life_ = moment.now;
}

void BackendExchange::failed(const Moment& moment) {
  if (!is_over()) give_up(502, moment);
}

void BackendExchange::give_up(int status, const Moment& moment) {
  to_backend_.clear();
  // A head that the client has not seen yet is as good as none.
  if (head_given_) {
    broken_ = true;
  } else {
    instead_ = std::make_unique<AnsweredExchange>(error_answer(status, moment), method_);
  }
}

std::size_t BackendExchange::read_room() const {
  if (is_over()) return kRelayBytesMax;  // Dropped; the end of the connection is to be seen.
  const std::size_t held = response_.body().size();
  return held < kRelayBytesMax ? kRelayBytesMax - held : 0;
}

void BackendExchange::received(Bytes bytes, const Moment& moment) {
  if (is_over()) return;
  life_ = moment.now;
  response_.receive(bytes);
  if (response_.state() == BackendResponse::State::failed) give_up(502, moment);
}

void BackendExchange::ended(const Moment& moment) {
  if (is_over()) return;
  response_.end();
  if (response_.state() == BackendResponse::State::failed) give_up(502, moment);
}

std::optional<std::size_t> BackendExchange::poll_output(MutableBytes space, const Moment& moment) {
  const Bytes run = to_backend_.front();
  const std::size_t count = std::min(run.size(), space.size());
  if (!opened_ || count == 0) return std::nullopt;
  copy_bytes(space, run.first(count));
  to_backend_.consume(count);
  life_ = moment.now;
  return count;
}

}  // namespace karst::stream::cover
