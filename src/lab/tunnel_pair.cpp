#include "lab/tunnel_pair.h"

#include <poll.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "keys/ratchet_error.h"
#include "lab/cell.h"
#include "lab/run_command.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::uint16_t kServerPort = 443;
constexpr std::uint16_t kSocksPort = 1080;
constexpr Duration kUpPatience = 30s;

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
    const LabNetwork& network, const TunnelSettings& settings, const std::atomic<bool>* stop) {
  auto folder = TemporaryFolder::make();
  if (!folder) return std::unexpected(folder.error());
  auto pair = std::make_unique<TunnelPair>(std::move(*folder));
  pair->program_ = settings.program;
  pair->stop_ = stop;
  if (auto problem = pair->prepare(settings)) return std::unexpected(std::move(*problem));
  if (auto problem = pair->launch(network, settings)) return std::unexpected(std::move(*problem));
  return pair;
}

TunnelPair::~TunnelPair() {
  for (auto* process : {&client_, &server_}) {
    if (process->has_value()) (*process)->stop(3s);
  }
}

// The files of the server.
std::optional<std::string> TunnelPair::prepare(const TunnelSettings& settings) {
  const std::string server = folder_.file("server");
  const std::string at = Endpoint{LabNetwork::address_v4(Side::far), kServerPort}.text();
  if (run_command({program_, "init", "server", "--dir", server, "--name", "lab.example", "--listen",
                   at, "--address", at})
          .code != 0) {
    return "karst init server failed";
  }
  const fs::path toml = folder_.file("server/server.toml");
  set(toml, "egress", "allow",
      "[" + quoted(LabNetwork::address_v4(Side::far).text() + "/32") + "]");
  if (!settings.policy.empty()) set(toml, "server", "policy", quoted(settings.policy));
  if (!settings.rekey_window.empty()) {
    set(toml, "server", "rekey_window", number_or_word(settings.rekey_window));
  }
  return std::nullopt;
}

std::optional<platform::ChildProcess> TunnelPair::up(const std::string& side,
                                                     const LabNetwork& network,
                                                     const TunnelSettings& settings) const {
  std::vector<std::string> argv{program_, "up", "--dir", folder_.file(side)};
  argv.insert(argv.end(), settings.up_arguments.begin(), settings.up_arguments.end());
  auto child = platform::ChildProcess::start(
      {.argv = std::move(argv),
       .where = &network.at(side == "server" ? Side::far : Side::near),
       .environment = {},
       .output_file = folder_.file(side + ".log"),
       .pipe_output = false,
       .drop_errors = false});
  if (!child.ok()) return std::nullopt;
  return std::move(*child);
}

bool TunnelPair::gets_ready(const std::string& side) const {
  const TimePoint deadline = platform::monotonic_now() + kUpPatience;
  while (platform::monotonic_now() < deadline && (stop_ == nullptr || !stop_->load())) {
    if (status(side).find("\"ready\":true") != std::string::npos) return true;
    ::poll(nullptr, 0, 50);
  }
  return false;
}

std::optional<std::string> TunnelPair::launch(const LabNetwork& network,
                                              const TunnelSettings& settings) {
  auto server = up("server", network, settings);
  if (!server) return "the server does not start";
  server_.emplace(std::move(*server));
  if (!gets_ready("server")) return "the server does not get ready: " + tail_of_log("server");
  return launch_client(network, settings);
}

// The client's files come from the running server.
std::optional<std::string> TunnelPair::launch_client(const LabNetwork& network,
                                                     const TunnelSettings& settings) {
  CommandOutput invite = run_command({program_, "invite", "lab", "--dir", folder_.file("server")});
  if (invite.code != 0 || invite.text.empty()) return "karst invite failed";
  invite.text.pop_back();
  const CommandOutput joined = run_command(
      {program_, "join", invite.text, "--dir", folder_.file("client"), "--socks", socks().text()},
      &network.at(Side::near));
  if (joined.code != 0) return "karst join failed: " + tail_of_log("server");
  const fs::path toml = folder_.file("client/client.toml");
  if (!settings.policy.empty()) set(toml, "client", "policy", quoted(settings.policy));
  if (!settings.rekey_window.empty()) {
    set(toml, "client", "rekey_window", number_or_word(settings.rekey_window));
  }
  auto client = up("client", network, settings);
  if (!client) return "the client does not start";
  client_.emplace(std::move(*client));
  if (!gets_ready("client")) return "the client does not get ready: " + tail_of_log("client");
  return std::nullopt;
}

std::string TunnelPair::tail_of_log(const std::string& side) const {
  return end_of_text(folder_.file(side + ".log"));
}

std::string TunnelPair::status(const std::string& side) const {
  return run_command({program_, "status", "--json", "--dir", folder_.file(side)}).text;
}

std::string TunnelPair::client_status() const { return status("client"); }
std::string TunnelPair::server_status() const { return status("server"); }

std::string TunnelPair::client_log() const { return read_text(folder_.path() + "/client.log"); }

bool TunnelPair::deadline_ended_a_link() const {
  const auto says_so = [this](const char* log) {
    return read_text(folder_.file(log)).find(keys::kAckDeadline.text) != std::string::npos;
  };
  return says_so("client.log") || says_so("server.log");
}

Route TunnelPair::route() const { return {.target = load_target(), .socks = socks(), .dial = {}}; }

Tunnel::Account TunnelPair::account() const {
  return {account_of(client_->pid()), account_of(server_->pid())};
}

}  // namespace karst::lab
