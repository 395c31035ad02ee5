#include "lab/tunnel_pair.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "lab/process_state.h"
#include "platform/linux/clock.h"
#include "platform/linux/read_file.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::uint16_t kServerPort = 443;
constexpr std::uint16_t kSocksPort = 1080;
constexpr std::size_t kTextBytesMax = std::size_t{64} << 20;  // a log, at the most
constexpr Duration kCommandPatience = 20s;
constexpr Duration kUpPatience = 30s;

struct Output {
  int code = -1;
  std::string text;
};

// Runs a command to its end and returns what it printed to standard output.
Output run(std::vector<std::string> argv, const platform::NetNamespace* where = nullptr) {
  auto child = platform::ChildProcess::start({.argv = std::move(argv),
                                              .where = where,
                                              .environment = {},
                                              .output_file = {},
                                              .pipe_output = true,
                                              .drop_errors = true});
  Output out;
  if (!child.ok()) return out;
  std::array<char, 4096> space{};
  for (ssize_t got = 1; got > 0;) {
    got = ::read(child->output(), space.data(), space.size());
    if (got > 0) out.text.append(space.data(), static_cast<std::size_t>(got));
  }
  out.code = child->wait(kCommandPatience).value_or(-1);
  return out;
}

std::string read_text(const fs::path& path) {
  const auto bytes = platform::read_file(path, kTextBytesMax);
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
}

// Puts `line` under the heading `[section]` of a settings file, in place of the key's own line.
void set(const fs::path& path, const std::string& section, const std::string& key,
         const std::string& value) {
  std::istringstream in(read_text(path));
  std::ofstream out(path, std::ios::trunc);
  bool there = false;
  for (std::string line; std::getline(in, line);) {
    const bool here = there && line.starts_with(key + " =");
    if (!here) out << line << '\n';
    if (line.starts_with('[')) there = line == "[" + section + "]";
    if (line == "[" + section + "]") out << key << " = " << value << '\n';
  }
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string number_or_word(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos ? text : quoted(text);
}

}  // namespace

Endpoint TunnelPair::socks() { return {IpAddress::v4({127, 0, 0, 1}), kSocksPort}; }

std::expected<std::unique_ptr<TunnelPair>, std::string> TunnelPair::start(
    const LabNetwork& network, const TunnelSettings& settings) {
  std::string name = (fs::temp_directory_path() / "karst-lab-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return std::unexpected("cannot make a temporary folder");
  auto pair = std::make_unique<TunnelPair>(name);
  pair->program_ = settings.program;
  if (auto problem = pair->prepare(settings)) return std::unexpected(std::move(*problem));
  if (auto problem = pair->launch(network, settings)) return std::unexpected(std::move(*problem));
  return pair;
}

TunnelPair::~TunnelPair() {
  for (auto* process : {&client_, &server_}) {
    if (process->has_value()) (*process)->stop(3s);
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

// The files of the server.
std::optional<std::string> TunnelPair::prepare(const TunnelSettings& settings) {
  const std::string server = folder_ + "/server";
  const std::string at = Endpoint{LabNetwork::address_v4(Side::far), kServerPort}.text();
  if (run({program_, "init", "server", "--dir", server, "--name", "lab.example", "--listen", at,
           "--address", at})
          .code != 0) {
    return "karst init server failed";
  }
  const fs::path toml = folder_ + "/server/server.toml";
  set(toml, "egress", "allow",
      "[" + quoted(LabNetwork::address_v4(Side::far).text() + "/32") + "]");
  if (!settings.policy.empty()) set(toml, "server", "policy", quoted(settings.policy));
  if (!settings.rekey_window.empty()) {
    set(toml, "server", "rekey_window", number_or_word(settings.rekey_window));
  }
  return std::nullopt;
}

std::optional<std::string> TunnelPair::launch(const LabNetwork& network,
                                              const TunnelSettings& settings) {
  const auto up = [&](const std::string& side) {
    std::vector<std::string> argv{program_, "up", "--dir", folder_ + "/" + side};
    argv.insert(argv.end(), settings.up_arguments.begin(), settings.up_arguments.end());
    return platform::ChildProcess::start(
        {.argv = std::move(argv),
         .where = &network.at(side == "server" ? Side::far : Side::near),
         .environment = {},
         .output_file = folder_ + "/" + side + ".log",
         .pipe_output = false,
         .drop_errors = false});
  };
  const auto ready = [&](const std::string& side) {
    const TimePoint deadline = platform::monotonic_now() + kUpPatience;
    while (platform::monotonic_now() < deadline) {
      if (status(side).find("\"ready\":true") != std::string::npos) return true;
      ::poll(nullptr, 0, 50);
    }
    return false;
  };
  auto server = up("server");
  if (!server.ok()) return "the server does not start";
  server_.emplace(std::move(*server));
  if (!ready("server")) return "the server does not get ready: " + tail_of_log("server");
  Output invite = run({program_, "invite", "lab", "--dir", folder_ + "/server"});
  if (invite.code != 0 || invite.text.empty()) return "karst invite failed";
  invite.text.pop_back();
  const Output joined =
      run({program_, "join", invite.text, "--dir", folder_ + "/client", "--socks", socks().text()},
          &network.at(Side::near));
  if (joined.code != 0) return "karst join failed: " + tail_of_log("server");
  const fs::path toml = folder_ + "/client/client.toml";
  if (!settings.policy.empty()) set(toml, "client", "policy", quoted(settings.policy));
  if (!settings.rekey_window.empty()) {
    set(toml, "client", "rekey_window", number_or_word(settings.rekey_window));
  }
  auto client = up("client");
  if (!client.ok()) return "the client does not start";
  client_.emplace(std::move(*client));
  if (!ready("client")) return "the client does not get ready: " + tail_of_log("client");
  return std::nullopt;
}

std::string TunnelPair::tail_of_log(const std::string& side) const {
  const std::string text = read_text(folder_ + "/" + side + ".log");
  return text.size() > 600 ? text.substr(text.size() - 600) : text;
}

std::string TunnelPair::status(const std::string& side) const {
  return run({program_, "status", "--json", "--dir", folder_ + "/" + side}).text;
}

std::string TunnelPair::client_status() const { return status("client"); }
std::string TunnelPair::server_status() const { return status("server"); }

std::string TunnelPair::client_log() const { return read_text(folder_ + "/client.log"); }

TunnelPair::Cpu TunnelPair::cpu() const {
  return {cpu_time(client_->pid()), cpu_time(server_->pid())};
}

TunnelPair::Memory TunnelPair::resident_peak() const {
  return {resident_peak_bytes(client_->pid()), resident_peak_bytes(server_->pid())};
}

}  // namespace karst::lab
