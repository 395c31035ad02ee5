#include "app/log_budget.h"

#include <algorithm>

namespace karst::app {

LogBudget::Verdict LogBudget::ask(std::string_view kind, TimePoint now) {
  Window& window = windows_.try_emplace(kind, now).first->second;
  Verdict verdict;
  if (now - window.since >= kWindow) {
    verdict.left_out = std::max(0, window.asked - kPerWindow);
    window = {now, 0};
  }
  verdict.write = ++window.asked <= kPerWindow;
  return verdict;
}

}  // namespace karst::app
