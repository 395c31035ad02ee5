#include "lab/path_check.h"

#include "lab/self_check.h"

namespace karst::lab {

std::optional<std::string> check_path(LabNetwork& network, const Cell& cell, ResultsFile& file,
                                      const std::function<void(const std::string&)>& say) {
  constexpr int kTries = 3;
  for (int i = 1; i <= kTries; ++i) {
    const auto check = check_link(network, cell.link(1));
    if (!check.ok()) return "cannot measure the link: " + std::string(check.error().kind().text);
    if (!file.add_check(cell.path(), *check).ok()) return "cannot write the results";
    if (check->ok()) return std::nullopt;
    for (const CheckLine& line : check->lines) {
      if (line.ok) continue;
      say("link " + cell.path() + ": " + line.what + " is " + line.measured + ", not " +
          line.wanted);
    }
  }
  return "the link " + cell.path() + " is not as asked after three tries: is the machine busy?";
}

}  // namespace karst::lab
