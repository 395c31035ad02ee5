#pragma once

#include <llhttp.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_queue.h"
#include "base/bytes.h"

namespace karst::stream::proxy {

struct HttpField {
  std::string name;
  std::string value;
};

// The start line and the header fields of one message, as received.
struct HttpHead {
  std::string method;   // requests
  std::string url;      // requests
  unsigned status = 0;  // responses
  std::string reason;   // responses
  unsigned version_major = 0;
  unsigned version_minor = 0;
  std::vector<HttpField> fields;
};

// Names of header fields compare without regard to ASCII case.
bool same_field_name(std::string_view a, std::string_view b);

// Reads one HTTP/1 message with llhttp in its strict mode: first the head, at most
// kHttpHeadBytesMax bytes of it, then the body.
class HttpReader {
 public:
  enum class Kind : std::uint8_t { request, response };
  enum class Status : std::uint8_t {
    more,      // everything was taken
    head,      // the head is complete; what was not taken is body
    complete,  // the message is complete; what was not taken is none of it
    too_large,
    failed,  // error() says why; every further call says the same
  };
  struct Progress {
    Status status;
    std::size_t taken;
  };

  explicit HttpReader(Kind kind);
  HttpReader(HttpReader&&) = default;
  HttpReader& operator=(HttpReader&&) = default;

  // Until Status::head. Then head() is complete.
  Progress read_head(Bytes bytes);
  // After the head of a request, also with no bytes, since a body may be empty: appends the body
  // to `body`, in the framing that it came in but written anew: chunks keep their borders and lose
  // their extensions, trailers are dropped.
  Progress read_body(Bytes bytes, ByteQueue& body);

  HttpHead& head() { return head_; }
  // How the body is framed, from the end of the head on.
  bool has_transfer_encoding() const { return (parser_.flags & F_TRANSFER_ENCODING) != 0; }
  bool chunked() const { return (parser_.flags & F_CHUNKED) != 0; }
  std::uint64_t content_length() const { return parser_.content_length; }
  int error() const { return parser_.error; }

 private:
  struct Callbacks;
  Progress run(Bytes bytes);

  llhttp_t parser_;
  HttpHead head_;
  std::size_t head_bytes_ = 0;
  bool value_seen_ = true;  // the next field bytes begin a new field
  bool head_complete_ = false;
  bool complete_ = false;
  ByteQueue* body_ = nullptr;  // during read_body only
};

}  // namespace karst::stream::proxy
