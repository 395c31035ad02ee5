#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace karst::app {

// What `karst up` shows of the tunnel on a terminal: a few lines made from a status answer
// (status_json.h), with rates from the difference to the answer before it.
class LiveBlock {
 public:
  // `now_seconds` is of any clock that only goes forward. An answer that cannot be read gives no
  // lines.
  std::vector<std::string> compose(const std::string& status_json, double now_seconds);

 private:
  struct Sample {
    double time = 0;
    double sent = 0;
    double received = 0;
  };
  std::optional<Sample> last_;
};

// The lines as a terminal of this size can show them: those that are longer than a row go on in the
// next, between words, and what goes beyond the screen is left out.
std::string fit_lines(const std::vector<std::string>& lines, std::size_t rows, std::size_t columns);

// How many rows a text that ends each line takes up on a terminal of this many columns. Most
// terminals wrap anew what stands on them when they become narrower.
std::size_t rows_of(std::string_view block, std::size_t columns);

}  // namespace karst::app
