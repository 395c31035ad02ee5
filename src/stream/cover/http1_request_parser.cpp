#include "stream/cover/http1_request_parser.h"

#include <algorithm>
#include <utility>

#include "stream/websocket/handshake.h"

namespace karst::stream::cover {
namespace {

constexpr int kGoOn = 0;
constexpr int kStop = -1;
constexpr std::string_view kProtocol = "HTTP/";

Http1RequestParser& self(llhttp_t* parser) {
  return *static_cast<Http1RequestParser*>(parser->data);
}

std::string_view without_trailing_space(std::string_view value) {
  while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
  return value;
}

// What may stand in Host: a name or a bracketed address, and a port (RFC 9110 section 7.2).
bool is_authority(std::string_view text) {
  static constexpr std::string_view kMarks = "-._~%!$&'()*+,;=:[]";
  return std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

// All values of a header as one list (RFC 9110 section 5.3).
std::string joined(const HeaderList& headers, std::string_view name) {
  std::string all;
  for (const Header& header : headers) {
    if (header.name != name) continue;
    if (!all.empty()) all += ", ";
    all += header.value;
  }
  return all;
}

// "http://host/path" as if it had been "/path" with that Host (RFC 9112 section 3.2.2).
void take_absolute_form(Request& request) {
  for (std::string_view scheme : {"http://", "https://"}) {
    const std::string_view target = request.path;
    if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const std::string_view rest = target.substr(scheme.size());
    const std::size_t cut = std::min(rest.find_first_of("/?#"), rest.size());
    std::string path(rest.substr(cut));
    if (!path.starts_with('/')) path.insert(0, "/");
    request.authority = rest.substr(0, cut);
    request.path = std::move(path);
    return;
  }
}

}  // namespace

struct Http1RequestParser::Callbacks {
  static int on_url(llhttp_t* parser, const char* at, std::size_t length) {
    self(parser).head_.request.path.append(at, length);
    return kGoOn;
  }
  static int on_version(llhttp_t* parser, const char* at, std::size_t) {
    self(parser).look_at_protocol(at);
    return kGoOn;
  }
  static int on_header_field(llhttp_t* parser, const char* at, std::size_t length) {
    if (self(parser).phase_ == Phase::head) self(parser).name_.append(at, length);
    return kGoOn;
  }
  static int on_header_value(llhttp_t* parser, const char* at, std::size_t length) {
    if (self(parser).phase_ == Phase::head) self(parser).value_.append(at, length);
    return kGoOn;
  }
  static int on_header_value_complete(llhttp_t* parser) {
    Http1RequestParser& mine = self(parser);
    if (mine.phase_ != Phase::head) return kGoOn;  // A trailer: dropped.
    const std::string name = std::exchange(mine.name_, {});
    const std::string value = std::exchange(mine.value_, {});
    if (mine.head_.request.headers.add(name, without_trailing_space(value))) return kGoOn;
    mine.status_ = 431;
    return kStop;
  }
  static int on_headers_complete(llhttp_t* parser) {
    Http1RequestParser& mine = self(parser);
    // Whether to switch protocols is decided by the site, after the request's end.
    parser->upgrade = 0;
    mine.head_.keep_alive = llhttp_should_keep_alive(parser) == 1;
    mine.head_.request.has_body = (parser->flags & F_CHUNKED) != 0 || parser->content_length > 0;
    return mine.head_.request.has_body ? HPE_PAUSED : kGoOn;
  }
  static int on_body(llhttp_t* parser, const char* at, std::size_t length) {
    self(parser).sink_.on_body(as_bytes(std::string_view(at, length)));
    return kGoOn;
  }
  static int on_message_complete(llhttp_t* parser) {
    self(parser).phase_ = Phase::between;
    return HPE_PAUSED;
  }

  static const llhttp_settings_t& table() {
    static const llhttp_settings_t kTable = [] {
      llhttp_settings_t made;
      llhttp_settings_init(&made);
      made.on_url = on_url;
      made.on_version = on_version;
      made.on_header_field = on_header_field;
      made.on_header_value = on_header_value;
      made.on_header_value_complete = on_header_value_complete;
      made.on_headers_complete = on_headers_complete;
      made.on_body = on_body;
      made.on_message_complete = on_message_complete;
      return made;
    }();
    return kTable;
  }
};

Http1RequestParser::Http1RequestParser(BodySink& sink) : sink_(sink) {
  llhttp_init(&parser_, HTTP_REQUEST, &Callbacks::table());
  parser_.data = this;
}

void Http1RequestParser::start_request() {
  phase_ = Phase::head;
  head_ = Head();
  is_http_ = false;
  head_bytes_ = 0;
  body_bytes_ = 0;
}

Http1RequestParser::Event Http1RequestParser::parse(Bytes& input) {
  if (status_ != 0) return Event::bad;
  if (input.empty()) return Event::none;
  if (phase_ == Phase::between) start_request();

  const bool in_head = phase_ == Phase::head;
  const std::uint64_t room =
      in_head ? kRequestHeaderBytesMax - head_bytes_ : kFramedBodyBytesMax - body_bytes_;
  feeding_ = input.first(std::min<std::uint64_t>(room, input.size()));
  const char* const begin = as_text(feeding_).data();
  const llhttp_errno_t reason = llhttp_execute(&parser_, begin, feeding_.size());
  std::size_t taken = feeding_.size();
  if (reason != HPE_OK) taken = static_cast<std::size_t>(llhttp_get_error_pos(&parser_) - begin);
  before_.append(as_text(feeding_.first(taken)));
  before_.erase(0, before_.size() - std::min(before_.size(), kProtocol.size()));
  input = input.subspan(taken);
  (in_head ? head_bytes_ : body_bytes_) += taken;

  if (reason != HPE_OK) return stopped(reason, in_head);
  if (taken < room) return Event::none;
  if (!in_head) return bad(413);
  return bad(head_.request.path.size() > kTargetBytesMax ? 414 : 431);
}

Http1RequestParser::Event Http1RequestParser::stopped(llhttp_errno_t reason, bool was_in_head) {
  if (reason != HPE_PAUSED) return bad(400);
  llhttp_resume(&parser_);
  if (!was_in_head) return Event::end;
  if (phase_ == Phase::head) phase_ = Phase::body;
  if (const int status = check_head()) return bad(status);
  return Event::head;
}

Http1RequestParser::Event Http1RequestParser::bad(int status) {
  if (status_ == 0) status_ = status;
  return Event::bad;
}

// `version` is where "1.1" begins or, when that was cut, goes on.
void Http1RequestParser::look_at_protocol(const char* version) {
  const auto offset = static_cast<std::size_t>(version - as_text(feeding_).data());
  std::string seen = before_;
  seen.append(as_text(feeding_.first(offset)));
  is_http_ = is_http_ || seen.ends_with(kProtocol);
}

Http1RequestParser::Head Http1RequestParser::take_head() { return std::move(head_); }

int Http1RequestParser::check_head() {
  Request& request = head_.request;
  const bool is_version_1 = parser_.http_major == 1 && parser_.http_minor <= 1;
  if (!is_http_ || parser_.http_major == 0) return 400;
  if (!is_version_1) return 505;
  head_.is_http11 = parser_.http_minor == 1;

  request.method = llhttp_method_name(static_cast<llhttp_method_t>(parser_.method));
  request.scheme = "https";
  if (const int status = check_host()) return status;

  if (const auto encoding = request.headers.find("transfer-encoding")) {
    if (!head_.is_http11) return 400;  // RFC 9112 section 6.1
    if (!equal_ignoring_case(*encoding, "chunked")) return 501;
  }
  head_.expects_continue =
      head_.is_http11 && equal_ignoring_case(joined(request.headers, "expect"), "100-continue");

  const std::string upgrade = joined(request.headers, "upgrade");
  const std::string connection = joined(request.headers, "connection");
  const std::string key = joined(request.headers, "sec-websocket-key");
  const std::string version = joined(request.headers, "sec-websocket-version");
  const auto handshake = websocket::check_upgrade({.method = request.method,
                                                   .version_major = parser_.http_major,
                                                   .version_minor = parser_.http_minor,
                                                   .host = request.authority,
                                                   .upgrade = upgrade,
                                                   .connection = connection,
                                                   .key = key,
                                                   .version = version});
  if (handshake.ok() && !request.has_body) {
    request.protocol = "websocket";
    head_.socket_key = key;
  }
  return 0;
}

int Http1RequestParser::check_host() {
  Request& request = head_.request;
  const std::size_t hosts = request.headers.count("host");
  if (hosts > 1 || (hosts == 0 && head_.is_http11)) return 400;  // RFC 9112 section 3.2
  request.authority = request.headers.find("host").value_or("");
  if (!is_authority(request.authority)) return 400;
  request.headers.remove("host");
  take_absolute_form(request);
  return is_authority(request.authority) ? 0 : 400;
}

}  // namespace karst::stream::cover
