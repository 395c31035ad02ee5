#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "crypto/secret.h"

namespace karst::crypto {

// Secret bytes of a length that is known only at run time, such as the text of a file that holds
// keys. The capacity is fixed at the start, so that growing leaves no copy behind. Movable, not
// copyable; wiped on destruction.
class SecretBytes {
 public:
  explicit SecretBytes(std::size_t capacity)
      : bytes_(std::make_unique<std::uint8_t[]>(capacity)), capacity_(capacity) {}
  ~SecretBytes() { release(); }
  SecretBytes(SecretBytes&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        capacity_(std::exchange(other.capacity_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  SecretBytes& operator=(SecretBytes&& other) noexcept {
    if (this != &other) {
      release();
      bytes_ = std::move(other.bytes_);
      capacity_ = std::exchange(other.capacity_, 0);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }

  // There must be room.
  void append(Bytes bytes) {
    CHECK(bytes.size() <= capacity_ - size_);
    copy_bytes(MutableBytes(bytes_.get() + size_, bytes.size()), bytes);
    size_ += bytes.size();
  }
  void append(std::string_view text) { append(as_bytes(text)); }

  std::size_t size() const { return size_; }
  // Borrowed until the object moves or dies.
  Bytes expose() const { return {bytes_.get(), size_}; }
  std::string_view expose_text() const { return as_text(expose()); }

 private:
  void release() {
    if (bytes_) wipe({bytes_.get(), capacity_});
  }

  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace karst::crypto
