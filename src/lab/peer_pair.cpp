#include "lab/peer_pair.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "lab/byte_exchange.h"
#include "lab/run_command.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

constexpr Duration kUpPatience = 30s;
constexpr Duration kBetweenLooks = 50ms;
constexpr Duration kGrace = 3s;

std::string log_name(Side side) { return side == Side::near ? "client.log" : "server.log"; }

void pause_between_looks() { platform::wait_until(platform::monotonic_now() + kBetweenLooks); }

// Where a program is, or nothing. System programs may be outside a user's PATH.
std::string find_program(const std::string& name) {
  CommandOutput found = run_command(
      {"sh", "-c", "PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; command -v \"$1\"", "sh", name});
  while (found.text.ends_with('\n')) found.text.pop_back();
  return found.code == 0 ? found.text : std::string();
}

// Some answer on standard error, and some with a code that means failure.
std::string ask_version(const std::string& program, const Peer::Argv& argv) {
  Peer::Argv shell{"sh", "-c", "exec \"$@\" 2>&1 < /dev/null", "sh", program};
  shell.insert(shell.end(), argv.begin() + 1, argv.end());
  return version_line(run_command(std::move(shell)).text);
}

std::vector<platform::UniqueFd> watch(const std::vector<pid_t>& pids) {
  std::vector<platform::UniqueFd> out;
  for (const pid_t pid : pids) {
    out.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  }
  return out;
}

// What a server has started may outlive it, as sessions of sshd do.
void end_all(const std::vector<platform::UniqueFd>& processes) {
  for (const platform::UniqueFd& process : processes) {
    if (!process.valid()) continue;
    for (const int number : {SIGTERM, SIGKILL}) {
      pollfd ended{.fd = process.get(), .events = POLLIN, .revents = 0};
      if (::poll(&ended, 1, 0) > 0) break;
      ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
      ::poll(&ended, 1, static_cast<int>(to_milliseconds(kGrace)));
    }
  }
}

}  // namespace

PeerState look_up(const Peer& peer, Rights rights) {
  PeerState out{.peer = peer, .paths = {}, .version = {}, .absent = {}};
  for (const std::string& program : peer.programs) {
    std::string path = find_program(program);
    if (path.empty()) out.absent += (out.absent.empty() ? "not installed: " : ", ") + program;
    out.paths[program] = std::move(path);
  }
  if (!out.absent.empty()) return out;
  out.version = ask_version(out.paths[peer.version.front()], peer.version);
  if (peer.needs_root && rights != Rights::root) out.absent = "needs root";
  return out;
}

std::expected<std::unique_ptr<PeerPair>, std::string> PeerPair::start(
    const LabNetwork& network, const PeerState& state, const Cell& cell,
    const std::atomic<bool>& stop) {
  auto folder = TemporaryFolder::make();
  if (!folder) return std::unexpected(folder.error());
  auto pair = std::make_unique<PeerPair>(state, std::move(*folder));
  if (auto problem = pair->bring_up(network, cell, stop)) {
    return std::unexpected(std::move(*problem));
  }
  return pair;
}

// The client first: its farewell ends the server's sessions.
PeerPair::~PeerPair() {
  for (auto* process : {&client_, &server_}) {
    if (!process->has_value()) continue;
    const auto descendants = watch(descendants_of((*process)->pid()));
    (*process)->stop(kGrace);
    end_all(descendants);
  }
  if (state_.peer.clear != nullptr) state_.peer.clear(folder_.path());
}

PeerPair::Problem PeerPair::bring_up(const LabNetwork& network, const Cell& cell,
                                     const std::atomic<bool>& stop) {
  const Peer& peer = state_.peer;
  const PeerPlace place{network, cell, folder_.path(), state_.version};
  if (auto problem = peer.prepare(place)) return problem;
  if (auto problem = launch(network, Side::far, peer.server(place))) return problem;
  if (auto problem = wait_for_server(stop)) return problem;
  if (auto problem = launch(network, Side::near, peer.client(place))) return problem;
  if (peer.furnish != nullptr) {
    if (auto problem = peer.furnish(place)) return problem;
  }
  return wait_for_passage(network, stop);
}

PeerPair::Problem PeerPair::launch(const LabNetwork& network, Side side, Peer::Argv argv) {
  const std::string name = argv.front();
  // Some, as sshd, must be called by a whole path.
  argv.front() = state_.paths.at(name);
  auto child = platform::ChildProcess::start({.argv = std::move(argv),
                                              .where = &network.at(side),
                                              .environment = {},
                                              .output_file = folder_.file(log_name(side)),
                                              .pipe_output = false,
                                              .drop_errors = false});
  if (!child.ok()) return name + " does not start";
  (side == Side::near ? client_ : server_).emplace(std::move(*child));
  return std::nullopt;
}

PeerPair::Problem PeerPair::ended() {
  for (const Side side : {Side::far, Side::near}) {
    auto& process = side == Side::near ? client_ : server_;
    if (!process) continue;
    if (const auto code = process->wait(Duration::zero())) {
      return std::string(side == Side::near ? "its client" : "its server") + " ended with " +
             std::to_string(*code) + ": " + end_of_text(folder_.file(log_name(side)));
    }
  }
  return std::nullopt;
}

PeerPair::Problem PeerPair::wait_for_server(const std::atomic<bool>& stop) {
  const std::uint16_t port = state_.peer.server_port;
  const TimePoint deadline = platform::monotonic_now() + kUpPatience;
  const std::string tables = "/proc/" + std::to_string(server_->pid()) + "/net/";
  // Not by connecting: that would be a first client to some.
  while (port != 0 &&
         std::ranges::none_of(std::array{"tcp", "tcp6", "udp", "udp6"}, [&](const char* table) {
           return lists_port(read_text(tables + table), port);
         })) {
    if (auto problem = ended()) return problem;
    if (stop) return "interrupted";
    if (platform::monotonic_now() > deadline) {
      return "its server does not listen: " + end_of_text(folder_.file(log_name(Side::far)));
    }
    pause_between_looks();
  }
  return std::nullopt;
}

PeerPair::Problem PeerPair::wait_for_passage(const LabNetwork& network,
                                             const std::atomic<bool>& stop) {
  const TimePoint deadline = platform::monotonic_now() + kUpPatience;
  while (!exchange_byte(network, route()).ok()) {
    if (auto problem = ended()) return problem;
    if (stop) return "interrupted";
    if (platform::monotonic_now() > deadline) {
      return "nothing passes: " + end_of_text(folder_.file(log_name(Side::near)));
    }
    pause_between_looks();
  }
  return std::nullopt;
}

Route PeerPair::route() const {
  Route route{.target = load_target(), .socks = {}, .dial = {}};
  switch (state_.peer.entry) {
    case PeerEntry::socks:
      route.socks = peer_entry();
      break;
    case PeerEntry::forwarded:
      route.dial = peer_entry();
      break;
    case PeerEntry::inner:
      route.target.address = peer_inner_address(Side::far);
      break;
  }
  return route;
}

Tunnel::Account PeerPair::account() const {
  return {account_of(client_->pid()), account_of(server_->pid())};
}

}  // namespace karst::lab
