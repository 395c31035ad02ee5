#include "lab/path_check.h"

#include "lab/self_check.h"

namespace karst::lab {
namespace {

constexpr int kTries = 3;

std::optional<RunError> check(LabNetwork& network, const std::string& name,
                              const LinkSettings& settings, ResultsFile& file,
                              const std::function<void(const std::string&)>& say) {
  for (int i = 1; i <= kTries; ++i) {
    const auto check = check_link(network, settings);
    if (!check.ok()) {
      return RunError{"cannot measure the link: " + std::string(check.error().kind().text)};
    }
    if (!file.add_check(name, *check).ok()) return RunError{"cannot write the results"};
    if (check->ok()) return std::nullopt;
    for (const CheckLine& line : check->lines) {
      if (line.ok) continue;
      say("link " + name + ": " + line.what + " is " + line.measured + ", not " + line.wanted);
    }
  }
  return RunError{
      .text = "the link " + name + " is not as asked after three tries: is the machine busy?",
      .path_failed = true};
}

}  // namespace

std::optional<RunError> check_path(LabNetwork& network, const Cell& cell, ResultsFile& file,
                                   const std::function<void(const std::string&)>& say) {
  return check(network, cell.path(), cell.link(1), file, say);
}

std::optional<RunError> check_path(LabNetwork& network, const LinkOptions& options,
                                   const LinkSettings& settings, ResultsFile& file) {
  std::string wrong;
  auto problem = check(network, options.rtt + "/" + options.rate + "/" + options.loss, settings,
                       file, [&wrong](const std::string& line) { wrong = line; });
  if (problem && problem->path_failed) problem->text += " (" + wrong + ")";
  return problem;
}

}  // namespace karst::lab
