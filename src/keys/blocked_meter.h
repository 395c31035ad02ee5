#pragma once

#include <optional>

#include "base/log_histogram.h"
#include "base/time.h"

namespace karst::keys {

// Time during which there was something to seal and no epoch to seal it in.
class BlockedMeter {
 public:
  void begin(TimePoint now) {
    if (!since_) since_ = now;
  }
  void end(TimePoint now) {
    if (!since_) return;
    const Duration wait = now - *since_;
    total_ += wait;
    waits_.add(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(wait).count()));
    since_.reset();
  }
  bool running() const { return since_.has_value(); }
  Duration total(TimePoint now) const { return since_ ? total_ + (now - *since_) : total_; }
  // Finished waits, in microseconds.
  const LogHistogram& waits() const { return waits_; }

 private:
  std::optional<TimePoint> since_;
  Duration total_{};
  LogHistogram waits_;
};

}  // namespace karst::keys
