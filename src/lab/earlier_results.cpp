#include "lab/earlier_results.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "lab/run_record.h"
#include "platform/linux/read_file.h"

namespace karst::lab {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 30;

}  // namespace

std::expected<EarlierResults, std::string> EarlierResults::read(const std::string& path,
                                                                const std::string& program_sha256) {
  const auto bytes = platform::read_file(path, kFileBytesMax);
  if (!bytes.ok()) return std::unexpected("cannot read " + path);
  const std::string_view text = as_text(*bytes);
  EarlierResults out;
  std::size_t number = 0;
  std::size_t whole = 0;  // bytes of whole lines
  for (std::size_t end; (end = text.find('\n', whole)) != text.npos; whole = end + 1) {
    ++number;
    try {
      out.take(std::string(text.substr(whole, end - whole)));
    } catch (const nlohmann::json::exception&) {
      return std::unexpected(path + ": line " + std::to_string(number) +
                             " is none that a gate of this version writes; start anew");
    }
    if (!out.program_sha256_.empty() && out.program_sha256_ != program_sha256) {
      return std::unexpected(path + " was measured with another program; start anew");
    }
  }
  std::error_code error;
  if (whole < text.size()) std::filesystem::resize_file(path, whole, error);
  if (error) return std::unexpected("cannot cut the torn last line off " + path);
  return out;
}

void EarlierResults::take(const std::string& line) {
  const auto json = nlohmann::ordered_json::parse(line);
  const std::string kind = json.at("kind");
  if (kind == "machine") program_sha256_ = json.at("program_sha256");
  if (kind == "plan") settings_ = json.at("settings");
  if (kind == "failure" && json.at("peer") == kKarstName) {
    failures_[json.at("cell")].push_back(json.at("reason"));
  }
  if (kind != "run") return;
  CellRun run = run_from_record(line);
  if (!run.void_because.empty()) return;
  Key key{json.at("cell"), run.seed, run.tunnel};
  runs_.insert_or_assign(std::move(key), std::move(run));
}

const CellRun* EarlierResults::run(const Cell& cell, std::uint64_t seed, bool tunnel) const {
  const auto found = runs_.find({cell.name(), seed, tunnel});
  return found == runs_.end() ? nullptr : &found->second;
}

std::uint64_t EarlierResults::pairs(const Cell& cell) const {
  std::uint64_t seed = 0;
  while (run(cell, seed + 1, false) != nullptr && run(cell, seed + 1, true) != nullptr) ++seed;
  return seed;
}

std::vector<std::string> EarlierResults::failures(const Cell& cell) const {
  const auto found = failures_.find(cell.name());
  return found == failures_.end() ? std::vector<std::string>() : found->second;
}

}  // namespace karst::lab
