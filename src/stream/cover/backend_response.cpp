#include "stream/cover/backend_response.h"

#include <algorithm>
#include <utility>

#include "stream/cover/backend_request.h"
#include "stream/cover/byte_range.h"
#include "stream/cover/http_date.h"
#include "stream/websocket/handshake.h"

namespace karst::stream::cover {
namespace {

constexpr int kGoOn = 0;
constexpr int kStop = -1;
constexpr int kWithoutBody = 1;

BackendResponse& self(llhttp_t* parser) { return *static_cast<BackendResponse*>(parser->data); }

std::string_view text(const char* at, std::size_t length) { return {at, length}; }

}  // namespace

const llhttp_settings_t& BackendResponse::settings() {
  static const llhttp_settings_t kSettings = [] {
    llhttp_settings_t made;
    llhttp_settings_init(&made);
    made.on_header_field = on_header_field;
    made.on_header_value = on_header_value;
    made.on_header_value_complete = on_header_value_complete;
    made.on_headers_complete = on_headers_complete;
    made.on_body = on_body;
    made.on_message_complete = on_message_complete;
    return made;
  }();
  return kSettings;
}

BackendResponse::BackendResponse(Expected expected) : expected_(std::move(expected)) {
  llhttp_init(&parser_, HTTP_RESPONSE, &settings());
  parser_.data = this;
}

void BackendResponse::receive(Bytes bytes) {
  while (!bytes.empty()) {
    if (state_ == State::socket) return body_.append(bytes);
    if (state_ == State::complete || state_ == State::failed) return;
    std::size_t count = bytes.size();
    if (state_ == State::head) {
      // Interim answers count too, and so do spaces that llhttp skips.
      count = std::min(count, kResponseHeaderBytesMax - head_bytes_);
      head_bytes_ += count;
    }
    const char* const begin = as_text(bytes).data();
    switch (llhttp_execute(&parser_, begin, count)) {
      case HPE_OK:
        break;
      case HPE_PAUSED_UPGRADE:
        count = static_cast<std::size_t>(llhttp_get_error_pos(&parser_) - begin);
        break;
      default:
        if (state_ != State::complete) state_ = State::failed;
        return;
    }
    bytes = bytes.subspan(count);
    if (state_ == State::head && head_bytes_ == kResponseHeaderBytesMax) state_ = State::failed;
  }
}

void BackendResponse::end() {
  if (state_ == State::complete || state_ == State::failed) return;
  if (state_ == State::socket) {
    state_ = State::complete;
    return;
  }
  // Calls on_message_complete where a body ends with the connection.
  llhttp_finish(&parser_);
  if (state_ != State::complete) state_ = State::failed;
}

std::optional<Response> BackendResponse::poll_head(const Moment& moment) {
  if (status_ == 0 || std::exchange(head_taken_, true)) return std::nullopt;
  Response response;
  response.status = status_;
  response.is_socket = status_ == 101;
  // Room for the date, which may be the one that is too much.
  response.headers = HeaderList(2 * kResponseHeaderBytesMax);
  if (headers_.count("date") == 0) response.headers.put("date", http_date(moment.wall));
  for (const Header& header : headers_) {
    const bool ours = header.name == "sec-websocket-accept" && response.is_socket;
    const bool meaningless = header.name == "content-length" && (status_ == 204 || status_ == 101);
    if (ours || meaningless || is_hop_by_hop(headers_, header.name)) continue;
    if (!response.headers.add(header.name, header.value)) break;
  }
  return response;
}

int BackendResponse::on_header_field(llhttp_t* parser, const char* at, std::size_t length) {
  if (self(parser).state_ == State::head) self(parser).name_ += text(at, length);
  return kGoOn;
}

int BackendResponse::on_header_value(llhttp_t* parser, const char* at, std::size_t length) {
  if (self(parser).state_ == State::head) self(parser).value_ += text(at, length);
  return kGoOn;
}

int BackendResponse::on_header_value_complete(llhttp_t* parser) {
  BackendResponse& response = self(parser);
  if (response.state_ != State::head) return kGoOn;  // A trailer: dropped.
  const std::string name = std::exchange(response.name_, {});
  const std::string value = std::exchange(response.value_, {});
  return response.headers_.add(name, value) ? kGoOn : kStop;
}

int BackendResponse::on_headers_complete(llhttp_t* parser) {
  BackendResponse& response = self(parser);
  const int status = llhttp_get_status_code(parser);
  if (status < 100) return kStop;
  if (status < 200 && status != 101) {
    response.headers_ = HeaderList();
    return kGoOn;
  }
  if (!response.take_head()) return kStop;
  return response.expected_.answers_head ? kWithoutBody : kGoOn;
}

bool BackendResponse::take_head() {
  const int status = parser_.status_code;
  if (status == 101) {
    if (!accepts_socket()) return false;
    state_ = State::socket;
  } else {
    const bool strange_encoding =
        (parser_.flags & F_TRANSFER_ENCODING) != 0 && (parser_.flags & F_CHUNKED) == 0;
    const auto length = headers_.find("content-length");
    const bool too_long =
        length && parse_decimal(*length).value_or(kBodyBytesMax + 1) > kBodyBytesMax;
    if (strange_encoding || (too_long && !expected_.answers_head && status != 304)) return false;
    state_ = State::body;
  }
  status_ = status;
  return true;
}

bool BackendResponse::accepts_socket() const {
  if (expected_.socket_key.empty()) return false;
  const websocket::UpgradeResponse response{
      .status = parser_.status_code,
      .upgrade = headers_.find("upgrade").value_or(""),
      .connection = headers_.find("connection").value_or(""),
      .accept = headers_.find("sec-websocket-accept").value_or("")};
  return websocket::check_upgrade_response(response, expected_.socket_key).ok();
}

int BackendResponse::on_body(llhttp_t* parser, const char* at, std::size_t length) {
  BackendResponse& response = self(parser);
  if (length > kBodyBytesMax - response.body_bytes_) return kStop;
  response.body_bytes_ += length;
  response.body_.append(as_bytes(text(at, length)));
  return kGoOn;
}

int BackendResponse::on_message_complete(llhttp_t* parser) {
  BackendResponse& response = self(parser);
  if (response.state_ != State::body) return kGoOn;  // An interim answer.
  response.state_ = State::complete;
  return HPE_PAUSED;
}

}  // namespace karst::stream::cover
