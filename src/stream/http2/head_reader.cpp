#include "stream/http2/head_reader.h"

#include <charconv>
#include <utility>

namespace karst::stream::http2 {
namespace {

constexpr std::size_t kFieldOverhead = 32;  // RFC 9113 section 6.5.2

}  // namespace

void HeadReader::add(std::string_view name, std::string_view value, bool sensitive) {
  bytes_ += name.size() + value.size() + kFieldOverhead;
  if (bytes_ > bytes_max_) {
    head_.oversized = true;
    return;
  }
  if (name == ":method") {
    head_.method = value;
  } else if (name == ":authority") {
    head_.authority = value;
  } else if (name == ":scheme") {
    head_.scheme = value;
  } else if (name == ":path") {
    head_.path = value;
  } else if (name == ":protocol") {
    head_.protocol = value;
  } else if (name == ":status") {
    std::from_chars(value.data(), value.data() + value.size(), status_);
  } else {
    head_.fields.push_back({std::string(name), std::string(value), sensitive});
  }
}

RequestHead HeadReader::take_request() { return std::move(head_); }

ResponseHead HeadReader::take_response() {
  return {status_, std::move(head_.fields), head_.oversized};
}

}  // namespace karst::stream::http2
