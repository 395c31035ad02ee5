#pragma once

#include <algorithm>
#include <cerrno>

#include "platform/linux/file_calls.h"

namespace karst::platform {

// Real file calls of which one fails, or all from one on; and which write a little at a time.
class FailingCalls final : public FileCalls {
 public:
  enum class From : std::uint8_t { that_one, that_one_on };

  // Calls count from 1; 0 lets all succeed.
  FailingCalls(int failing, From from, int error) : failing_(failing), from_(from), error_(error) {}

  // Whether the failing call was reached.
  bool struck() const { return failing_ != 0 && count_ >= failing_; }
  bool unlink_failed() const { return unlink_failed_; }

  int open(const char* path, int flags, mode_t mode) override {
    return fails() ? -1 : FileCalls::open(path, flags, mode);
  }
  ssize_t write(int fd, Bytes bytes) override {
    return fails() ? -1 : FileCalls::write(fd, bytes.first(std::min<std::size_t>(bytes.size(), 4)));
  }
  int fsync(int fd) override { return fails() ? -1 : FileCalls::fsync(fd); }
  int fdatasync(int fd) override { return fails() ? -1 : FileCalls::fdatasync(fd); }
  int ftruncate(int fd, off_t length) override {
    return fails() ? -1 : FileCalls::ftruncate(fd, length);
  }
  int rename(const char* from, const char* to) override {
    return fails() ? -1 : FileCalls::rename(from, to);
  }
  int exchange(const char* one, const char* other) override {
    if (!can_exchange) {
      errno = EINVAL;
      return -1;
    }
    return fails() ? -1 : FileCalls::exchange(one, other);
  }
  int rename_new(const char* from, const char* to) override {
    return fails() ? -1 : FileCalls::rename_new(from, to);
  }
  int unlink(const char* path) override {
    if (!fails()) return FileCalls::unlink(path);
    unlink_failed_ = true;
    return -1;
  }

  void heal() { failing_ = 0; }

  bool can_exchange = true;

 private:
  bool fails() {
    ++count_;
    if (failing_ == 0 || count_ < failing_) return false;
    if (from_ == From::that_one && count_ > failing_) return false;
    errno = error_;
    return true;
  }
  int failing_;
  From from_;
  int error_;
  int count_ = 0;
  bool unlink_failed_ = false;
};

}  // namespace karst::platform
