#pragma once

#include <cstddef>
#include <string_view>

#include "stream/http2/message.h"

namespace karst::stream::http2 {

// Collects the header list of one message, up to its bound; what is beyond is counted and dropped.
// nghttp2 has checked each field, and checks at the end that none is missing (RFC 9113
// section 8.3).
class HeadReader {
 public:
  explicit HeadReader(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  void add(std::string_view name, std::string_view value, bool sensitive);

  // The message, once; which of them it is the caller knows.
  RequestHead take_request();
  ResponseHead take_response();
  // 0 while there is none.
  int status() const { return status_; }

 private:
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  RequestHead head_;
  int status_ = 0;
};

}  // namespace karst::stream::http2
