#pragma once

#include "base/time.h"

namespace karst::stream {

// What a link asks before KEM work that it can put off, and tells of all KEM work that it does.
// Behind it stands one link's place among all links of a thread (driver/kem_share.h).
class KemGate {
 public:
  // Whether the link may do one operation now. If not, the link is polled again when it may.
  virtual bool enter(TimePoint now) = 0;
  // Around each operation, whether or not it was asked for.
  virtual void started() = 0;
  virtual void finished() = 0;

 protected:
  ~KemGate() = default;
};

}  // namespace karst::stream
