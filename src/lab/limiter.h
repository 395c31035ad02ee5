#pragma once

#include <string>

namespace karst::lab {

// What a tunnel says limits the direction that one of its ends sends in.
struct Limiter {
  std::string name{};  // empty: nothing but the application, or unknown
  double share = 0;    // of the last 10 s, 0..1
};

// The limiter with the largest share, application left out. `status`: as `karst status --json`
// prints it for that end.
Limiter limiter_in(const std::string& status);

// Whether an end says that a rekey's deadline expired on one of its links. `status`: as above.
bool deadline_expired_in(const std::string& status);

}  // namespace karst::lab
