#pragma once

#include <map>
#include <string_view>

#include "base/time.h"

namespace karst::app {

// How many lines of one kind of event a log takes, so that what a stranger can cause cannot flood
// it. Kinds do not disturb each other. Holds the names that it was asked about without a copy:
// they are constants (base/trace.h), and so is their number.
class LogBudget {
 public:
  static constexpr int kPerWindow = 20;
  static constexpr Duration kWindow = std::chrono::seconds(10);

  struct Verdict {
    bool write = false;
    int left_out = 0;  // how many lines of this kind were refused in the window that has just ended
  };
  Verdict ask(std::string_view kind, TimePoint now);

 private:
  struct Window {
    TimePoint since;
    int asked = 0;
  };
  std::map<std::string_view, Window> windows_;
};

}  // namespace karst::app
