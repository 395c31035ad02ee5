#pragma once

#include <string>
#include <vector>

#include "lab/cell.h"

namespace karst::app {

// Which cells of a grid the user wants: an axis without values takes all of them.
struct CellChoice {
  std::vector<std::string> rtt{};
  std::vector<std::string> rate{};
  std::vector<std::string> loss{};
  std::vector<std::string> traffic{};
  std::vector<std::string> streams{};

  bool any() const;  // something was chosen
  bool takes(const lab::Cell& cell) const;
};

}  // namespace karst::app
