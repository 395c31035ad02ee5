#include "stream/proxy/http_head.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "stream/proxy/limits.h"

namespace karst::stream::proxy {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool same_field_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

// llhttp keeps no text: a field may reach these in pieces, and the fields behind a chunked body
// (trailers) reach them too.
struct HttpReader::Callbacks {
  static HttpReader& reader(llhttp_t* parser) { return *static_cast<HttpReader*>(parser->data); }

  static int method(llhttp_t* parser, const char* at, std::size_t length) {
    reader(parser).head_.method.append(at, length);
    return HPE_OK;
  }
  static int url(llhttp_t* parser, const char* at, std::size_t length) {
    reader(parser).head_.url.append(at, length);
    return HPE_OK;
  }
  static int reason(llhttp_t* parser, const char* at, std::size_t length) {
    reader(parser).head_.reason.append(at, length);
    return HPE_OK;
  }
  static int field(llhttp_t* parser, const char* at, std::size_t length) {
    HttpReader& self = reader(parser);
    if (self.head_complete_) return HPE_OK;
    if (self.value_seen_) self.head_.fields.emplace_back();
    self.value_seen_ = false;
    self.head_.fields.back().name.append(at, length);
    return HPE_OK;
  }
  static int value(llhttp_t* parser, const char* at, std::size_t length) {
    HttpReader& self = reader(parser);
    if (self.head_complete_) return HPE_OK;
    self.value_seen_ = true;
    self.head_.fields.back().value.append(at, length);
    return HPE_OK;
  }
  static int headers_complete(llhttp_t* parser) {
    reader(parser).head_complete_ = true;
    return HPE_PAUSED;
  }
  static int chunk_header(llhttp_t* parser) {
    char text[18];
    const auto end = std::to_chars(text, text + 16, parser->content_length, 16).ptr;
    std::copy_n("\r\n", 2, end);
    reader(parser).body_->append(as_bytes({text, static_cast<std::size_t>(end - text) + 2}));
    return HPE_OK;
  }
  static int body(llhttp_t* parser, const char* at, std::size_t length) {
    reader(parser).body_->append(as_bytes({at, length}));
    return HPE_OK;
  }
  static int chunk_complete(llhttp_t* parser) {
    reader(parser).body_->append(as_bytes("\r\n"));
    return HPE_OK;
  }
  static int message_complete(llhttp_t* parser) {
    reader(parser).complete_ = true;
    return HPE_PAUSED;
  }

  static const llhttp_settings_t& settings() {
    static const llhttp_settings_t kSettings = [] {
      llhttp_settings_t out;
      llhttp_settings_init(&out);
      out.on_method = method;
      out.on_url = url;
      out.on_status = reason;
      out.on_header_field = field;
      out.on_header_value = value;
      out.on_headers_complete = headers_complete;
      out.on_chunk_header = chunk_header;
      out.on_body = body;
      out.on_chunk_complete = chunk_complete;
      out.on_message_complete = message_complete;
      return out;
    }();
    return kSettings;
  }
};

HttpReader::HttpReader(Kind kind) {
  llhttp_init(&parser_, kind == Kind::request ? HTTP_REQUEST : HTTP_RESPONSE,
              &Callbacks::settings());
}

// Feeds until llhttp pauses (at the end of the head and of the message), fails or has taken all.
HttpReader::Progress HttpReader::run(Bytes bytes) {
  parser_.data = this;
  const char* data = reinterpret_cast<const char*>(bytes.data());
  const llhttp_errno_t outcome = llhttp_execute(&parser_, data, bytes.size());
  if (outcome == HPE_OK) return {Status::more, bytes.size()};
  if (outcome != HPE_PAUSED) return {Status::failed, bytes.size()};
  const auto taken = static_cast<std::size_t>(llhttp_get_error_pos(&parser_) - data);
  llhttp_resume(&parser_);
  return {complete_ ? Status::complete : Status::head, taken};
}

HttpReader::Progress HttpReader::read_head(Bytes bytes) {
  CHECK(!head_complete_);
  const Bytes piece = bytes.first(std::min(bytes.size(), kHttpHeadBytesMax - head_bytes_));
  Progress progress = run(piece);
  head_bytes_ += progress.taken;
  if (progress.status == Status::head) {
    head_.status = parser_.status_code;
    head_.version_major = parser_.http_major;
    head_.version_minor = parser_.http_minor;
    for (HttpField& field : head_.fields) {
      // llhttp leaves the white space behind a value (RFC 9110 section 5.5: not part of it).
      field.value.resize(field.value.find_last_not_of(" \t") + 1);
    }
  } else if (progress.status == Status::more && head_bytes_ == kHttpHeadBytesMax) {
    progress.status = Status::too_large;
  }
  return progress;
}

HttpReader::Progress HttpReader::read_body(Bytes bytes, ByteQueue& body) {
  CHECK(head_complete_);
  body_ = &body;
  const Progress progress = run(bytes);
  body_ = nullptr;
  return progress;
}

}  // namespace karst::stream::proxy
