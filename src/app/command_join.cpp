#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "app/advice.h"
#include "app/client_daemon.h"
#include "app/commands.h"
#include "app/files.h"
#include "app/pasted_text.h"
#include "app/server_address.h"
#include "crypto/base64.h"
#include "platform/linux/hardening.h"
#include "platform/linux/held_signals.h"
#include "platform/linux/state_directory.h"

namespace karst::app {
namespace {

constexpr Duration kEnrolTime = std::chrono::seconds(20);

std::string settings_text(const wire::Invite& invite, const std::string& socks) {
  std::string addresses;
  for (const auto& address : invite.addresses) {
    addresses += (addresses.empty() ? "\"" : ", \"") + format_server_address(address) + "\"";
  }
  std::string out =
      "# The settings of this karst client. `karst config check` reads them and says what is "
      "wrong.\n"
      "\n[client]\n"
      "# Who the server is and where, from the invite.\n"
      "server = \"" +
      invite.server.text() +
      "\"\n"
      "addresses = [" +
      addresses + "]\n";
  if (invite.tls_pin) out += "pin = \"" + crypto::base64url(*invite.tls_pin) + "\"\n";
  return out +
         "# How much one key may protect: extreme (256 KiB), brisk, normal, soft, or ultimate "
         "with\n"
         "# policy_custom = { epoch_bytes = ..., epoch_frames = ..., epoch_active_ms = ... }.\n"
         "policy = \"extreme\"\n"
         "# Keys prepared ahead: \"auto\", or a number from 1 to 512.\n"
         "rekey_window = \"auto\"\n"
         "\n[proxy]\n"
         "# SOCKS5 and HTTP proxy for applications on this machine.\n"
         "listen = [\"" +
         socks +
         "\"]\n"
         "# user = \"me\"\n"
         "# password_file = \"proxy.password\"\n"
         "\n[log]\n"
         "# level = \"info\"     # debug, info, warning, error\n"
         "# format = \"text\"    # text, json\n";
}

// Many times the longest invite.
constexpr std::size_t kInputBytesMax = 64 * 1024;

// The first line of standard input that is not blank: a person who pastes need not end the input.
std::string read_line() {
  std::string text;
  for (char c = 0; text.size() < kInputBytesMax && std::cin.get(c);) {
    if (c == '\n' && !without_blanks_around(text).empty()) break;
    text += c;
  }
  return text;
}

Outcome<wire::Invite> read_invite(const std::string& given) {
  std::string text = given == "-" ? read_line() : given;
  if (given == "-" && without_blanks_around(text).empty()) {
    return std::unexpected(Failure{"no invite came on standard input", kExitUsage});
  }
  auto invite = wire::parse_invite(without_blanks_around(text));
  crypto::wipe({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  if (!invite.ok()) return std::unexpected(Failure{describe(invite.error()), kExitUsage});
  return std::move(*invite);
}

Outcome<void> save_client(const Paths& paths, const wire::Invite& invite,
                          const std::string& socks) {
  platform::OsEntropy entropy;
  std::error_code ignored;
  if (!is_there(paths.identity())) {
    if (auto saved = save_identity(paths.identity(), entropy); !saved) return saved;
  }
  // A client's file holds the secret alone, in the form of a PSK file.
  const auto text =
      keys::format_client_psk(keys::ClientPsk::from_bytes(invite.front_secret.expose()));
  if (auto saved = save_secret(paths.front_secret(), text.expose(), Overwrite::yes); !saved) {
    return saved;
  }
  if (auto saved = save_invite(paths, invite); !saved) return saved;
  std::filesystem::remove(paths.psk(), ignored);
  return save_public(paths.client_settings(), settings_text(invite, socks));
}

// Why the server could not be joined, and what can be done about it.
std::string reason(const Error& error) {
  std::string why = describe(error);
  if (const auto what = advice(error); !what.empty()) why += "\n  to do: " + std::string(what);
  return why;
}

// Everything is on disk, so that most of what kept a client from its server can pass by itself.
Failure not_yet(const Paths& paths, Failure why) {
  why.message = "not joined yet: " + why.message + "\nEverything is saved in " +
                paths.config.string() + ": `" + command_line(paths, "up") +
                "` joins as soon as the server can be reached, and so does `karst join` with the "
                "same invite.";
  return why;
}

// Connects once, so that the invite is spent and this client known. A signal ends the attempt.
Outcome<void> enrol(const Paths& paths, const ClientSettings& settings) {
  auto loop = platform::EventLoop::create();
  if (!loop.ok()) return std::unexpected(Failure{describe(loop.error())});
  int interrupted = 0;
  auto signals = (*loop)->on_signals({SIGINT, SIGTERM, SIGHUP}, [&interrupted](int signal) {
    if (!platform::is_ignored(signal)) interrupted = signal;
  });
  if (!signals.ok()) return std::unexpected(Failure{describe(signals.error())});
  Log log({TraceLevel::error, LogFormat::text});
  auto daemon = ClientDaemon::load(paths, settings, **loop, log);
  if (!daemon) return std::unexpected(daemon.error());
  if (auto started = (*daemon)->start(ClientDaemon::Proxy::no); !started) return started;
  driver::ClientNode& node = (*daemon)->node();
  const TimePoint deadline = (*loop)->now() + kEnrolTime;
  const auto hopeless = [&] {
    // With several addresses another one may be right, also the one that is being tried.
    return node.last_error() && is_final(*node.last_error()) && node.next_attempt() &&
           node.attempts() >= settings.addresses.size();
  };
  while (!node.enrolled() && (*loop)->now() < deadline && interrupted == 0 && !hopeless()) {
    (*loop)->run_turn(std::chrono::milliseconds(100));
  }
  if (!node.enrolled()) {
    if (interrupted != 0) {
      return std::unexpected(not_yet(paths, {"interrupted", kExitSignal + interrupted}));
    }
    if (!node.last_error()) {
      return std::unexpected(not_yet(paths, {"the server did not answer in time"}));
    }
    const std::string why = reason(*node.last_error());
    if (hopeless()) {
      return std::unexpected(
          Failure{"not joined: " + why + "\nTrying again will not help before that is done."});
    }
    return std::unexpected(not_yet(paths, {why}));
  }
  bool drained = false;
  (*daemon)->drain([&drained] { drained = true; });
  const TimePoint last = (*loop)->now() + std::chrono::seconds(2);
  while (!drained && (*loop)->now() < last) (*loop)->run_turn(std::chrono::milliseconds(50));
  return {};
}

}  // namespace

int join(const Paths& paths, const JoinOptions& options) {
  static_cast<void>(platform::forbid_dumps());
  auto invite = read_invite(options.uri);
  if (!invite) return fail(invite.error());
  if (is_there(paths.server_settings())) {
    return fail({paths.config.string() + " holds a server; choose another place with --dir"});
  }
  if (is_there(paths.client_settings()) && is_there(paths.psk())) {
    return fail({paths.config.string() + " holds a client that has joined already; choose another "
                                         "place with --dir, or remove it first"});
  }
  const std::string socks = options.socks.empty() ? "127.0.0.1:1080" : options.socks;
  if (!Endpoint::parse(socks)) {
    return fail(
        {"--socks " + socks + " is not an address and port, as in 127.0.0.1:1080", kExitUsage});
  }
  // From here on a signal waits for a good moment: no file is left out.
  const platform::HeldSignals held({SIGINT, SIGTERM, SIGHUP});
  for (const auto& directory : {paths.config, paths.state}) {
    if (const auto made = make_directory(directory); !made) return fail(made.error());
  }
  auto lock = platform::StateDirectory::open(paths.state.string());
  if (!lock.ok()) return fail(file_failure(paths.state.string(), lock.error()));
  if (const auto saved = save_client(paths, *invite, socks); !saved) return fail(saved.error());
  const auto settings = load_client_settings(paths);
  if (!settings) return fail(settings.error());
  if (::isatty(STDERR_FILENO) == 1) {
    std::fprintf(stderr, "Connecting to %s ...\n", settings->addresses.front().text().c_str());
  }
  const auto enrolled = enrol(paths, *settings);
  if (!enrolled) return fail(enrolled.error());
  std::printf(
      "Joined.\n\nNext:\n  %-14s  bring the tunnel up\n"
      "  then use the proxy at %s (SOCKS5 or HTTP), as in\n"
      "  curl --proxy socks5h://%s https://example.org/\n",
      command_line(paths, "up").c_str(), socks.c_str(), socks.c_str());
  return kExitOk;
}

}  // namespace karst::app
