#include "app/cell_choice.h"

#include <algorithm>

namespace karst::app {
namespace {

bool chosen(const std::vector<std::string>& values, const std::string& value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

}  // namespace

bool CellChoice::any() const {
  return !rtt.empty() || !rate.empty() || !loss.empty() || !traffic.empty() || !streams.empty();
}

bool CellChoice::takes(const lab::Cell& cell) const {
  return chosen(rtt, std::to_string(cell.rtt_ms)) && chosen(rate, std::to_string(cell.rate_mbit)) &&
         chosen(loss, cell.loss) && chosen(traffic, lab::traffic_name(cell.traffic)) &&
         chosen(streams, std::to_string(cell.streams));
}

}  // namespace karst::app
