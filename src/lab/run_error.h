#pragma once

#include <expected>
#include <string>

namespace karst::lab {

// Why a command of the lab ended without its results.
struct RunError {
  std::string text;            // a sentence
  bool nothing_begun = false;  // no result was touched
  bool path_failed = false;    // the path is not as asked, or the machine not as it was
};

inline std::unexpected<RunError> failed(std::string text) {
  return std::unexpected(RunError{.text = std::move(text)});
}

}  // namespace karst::lab
