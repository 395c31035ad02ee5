#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "stream/http2/limits.h"

namespace karst::stream::http2 {

// How many unconsumed bytes a peer may have outstanding, and what to tell it as they are consumed.
// Every function says by how much the peer's credit is to be raised now (WINDOW_UPDATE), or 0.
//
// nghttp2 by itself waits for half a window before it gives any back, which can hold a sender to
// half of what the window allows.
class ReceiveWindow {
 public:
  explicit ReceiveWindow(std::int32_t bytes) : size_(bytes) {}

  std::int32_t size() const { return size_; }

  std::int32_t consume(std::int32_t bytes) {
    CHECK(bytes >= 0 && bytes <= kMaxWindow - credit_);
    credit_ += bytes;
    // A window that shrank keeps what it is too large by.
    const std::int32_t kept = std::min(credit_, debt_);
    credit_ -= kept;
    debt_ -= kept;
    if (credit_ == 0 || credit_ < size_ / kCreditReturnsPerWindow) return 0;
    return std::exchange(credit_, 0);
  }

  std::int32_t resize(std::int32_t bytes) {
    CHECK(bytes >= 0);
    const std::int32_t shrunk = std::max(size_ - bytes, 0);
    const std::int32_t grown = std::max(bytes - size_, 0);
    size_ = bytes;
    debt_ += shrunk;
    const std::int32_t forgiven = std::min(grown, debt_);
    debt_ -= forgiven;
    return grown - forgiven;
  }

 private:
  std::int32_t size_;
  std::int32_t credit_ = 0;  // consumed and not yet given back
  std::int32_t debt_ = 0;    // to be kept back of what is consumed
};

}  // namespace karst::stream::http2
