#include "lab/run_command.h"

#include <unistd.h>

#include <array>

#include "platform/linux/child_process.h"
#include "platform/linux/read_file.h"

namespace karst::lab {
namespace {

constexpr std::size_t kTextBytesMax = std::size_t{64} << 20;  // a log, at the most
constexpr std::size_t kOutputBytesMax = std::size_t{16} << 20;
constexpr std::size_t kEndBytes = 600;
constexpr Duration kPatience = std::chrono::seconds(20);

}  // namespace

CommandOutput run_command(std::vector<std::string> argv, const platform::NetNamespace* where) {
  auto child = platform::ChildProcess::start({.argv = std::move(argv),
                                              .where = where,
                                              .environment = {},
                                              .output_file = {},
                                              .pipe_output = true,
                                              .drop_errors = true});
  CommandOutput out;
  if (!child.ok()) return out;
  std::array<char, 4096> space{};
  for (ssize_t got = 1; got > 0 && out.text.size() < kOutputBytesMax;) {
    got = ::read(child->output(), space.data(), space.size());
    if (got > 0) out.text.append(space.data(), static_cast<std::size_t>(got));
  }
  out.code = child->wait(kPatience).value_or(-1);
  return out;
}

std::string read_text(const std::string& path) {
  const auto bytes = platform::read_file(path, kTextBytesMax);
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
}

std::string end_of_text(const std::string& path) {
  const std::string text = read_text(path);
  return text.size() > kEndBytes ? text.substr(text.size() - kEndBytes) : text;
}

}  // namespace karst::lab
