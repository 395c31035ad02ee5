#include <signal.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "app/commands.h"
#include "app/files.h"
#include "app/server_address.h"
#include "platform/linux/clock.h"
#include "platform/linux/held_signals.h"
#include "platform/linux/os_entropy.h"
#include "platform/linux/read_file.h"
#include "platform/linux/state_directory.h"
#include "stream/tls/certificate.h"

namespace karst::app {
namespace {

std::string quoted_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? ", \"" : "\"") + item + "\"";
  return out + "]";
}

std::string settings_text(const InitServerOptions& options) {
  return "# The settings of this karst server. `karst config check` reads them and says what is "
         "wrong.\n"
         "\n[server]\n"
         "# Addresses and ports to accept connections on.\n"
         "listen = " +
         quoted_list(options.listen) +
         "\n"
         "# The host name of the web site that strangers see.\n"
         "name = \"" +
         options.name +
         "\"\n"
         "# Where clients reach this server; invites carry these.\n"
         "addresses = " +
         quoted_list(options.addresses) +
         "\n"
         "# A certificate and its key in PEM. Clients pin the key, so a self-signed one is safe "
         "for them;\n"
         "# a certificate of a public authority looks more ordinary to everyone else.\n"
         "certificate = \"tls.crt\"\n"
         "key = \"tls.key\"\n"
         "# How much one key may protect: extreme (256 KiB), brisk, normal, soft, or ultimate "
         "with\n"
         "# policy_custom = { epoch_bytes = ..., epoch_frames = ..., epoch_active_ms = ... }.\n"
         "policy = \"extreme\"\n"
         "# Shortest epochs that a client may ask for.\n"
         "policy_floor = \"extreme\"\n"
         "# Keys prepared ahead: \"auto\", or a number from 1 to 512.\n"
         "rekey_window = \"auto\"\n"
         "\n[cover]\n"
         "# What strangers get: the built-in pages, or files from a directory, or a web server on "
         "this\n"
         "# machine.\n"
         "# root = \"/srv/www\"\n"
         "# upstream = \"http://127.0.0.1:8080\"\n"
         "# The site's public WebSocket, which tunnels share; clients need the same setting.\n"
         "# websocket = \"/live\"\n"
         "\n[egress]\n"
         "# Private, loopback and link-local networks are refused unless they are allowed here. "
         "This\n"
         "# machine's own addresses must be named one by one: \"127.0.0.1/32 8080\".\n"
         "# allow = [\"10.0.0.0/8\", \"192.168.1.10/32 22\"]\n"
         "# deny = [\"203.0.113.0/24\"]\n"
         "\n[limits]\n"
         "# Memory for all clients together.\n"
         "# memory = \"1 GiB\"\n"
         "# connections = 4096\n"
         "# handshakes_per_second = 50\n"
         "\n[log]\n"
         "# level = \"info\"     # debug, info, warning, error\n"
         "# format = \"text\"    # text, json\n";
}

// The files of a server that is being made. Unless it is finished, they go again: half a server
// would be in the way of the next attempt.
class NewServer {
 public:
  explicit NewServer(const Paths& paths)
      : files_{paths.server_settings(),  paths.identity(),         paths.front_secret(),
               paths.config / "tls.key", paths.config / "tls.crt", paths.registry()} {}
  ~NewServer() {
    if (finished_) return;
    std::error_code ignored;
    for (const auto& file : files_) std::filesystem::remove(file, ignored);
  }
  NewServer(const NewServer&) = delete;
  NewServer& operator=(const NewServer&) = delete;

  void finish() { finished_ = true; }

 private:
  const std::array<std::filesystem::path, 6> files_;
  bool finished_ = false;
};

// What is in the way of a new server, if anything is.
Outcome<void> check_free(const Paths& paths) {
  const bool whole = is_there(paths.server_settings()) || is_there(paths.client_settings());
  for (const auto& file :
       {paths.server_settings(), paths.client_settings(), paths.identity(), paths.front_secret(),
        paths.config / "tls.key", paths.config / "tls.crt", paths.registry()}) {
    if (!is_there(file)) continue;
    return std::unexpected(Failure{
        file.string() + " exists already; nothing was changed. " +
        (whole ? "Choose another place with --dir."
               : "No settings are beside it, so it is of something unfinished: remove it, or "
                 "choose another place with --dir.")});
  }
  return {};
}

// The certificate and key: the given ones, copied, or new ones.
Outcome<void> save_certificate(const Paths& paths, const InitServerOptions& options) {
  if (options.certificate.empty()) {
    constexpr std::int64_t kTenYears = 3650LL * 86'400;
    const UnixTime now = platform::wall_now();
    const auto made = stream::tls::make_self_signed(
        std::vector<std::string>{options.name}, {now.seconds - 86'400}, {now.seconds + kTenYears});
    if (auto saved = save_secret(paths.config / "tls.key", as_bytes(made.key_pem)); !saved) {
      return saved;
    }
    return save_public(paths.config / "tls.crt", made.certificate_pem);
  }
  const auto certificate = platform::read_file(options.certificate, 256 * 1024);
  if (!certificate.ok()) {
    return std::unexpected(file_failure(options.certificate, certificate.error()));
  }
  const auto key = platform::read_secret_file(options.key, 256 * 1024);
  if (!key.ok()) return std::unexpected(file_failure(options.key, key.error()));
  const auto usable = stream::tls::TlsContext::server({as_text(*certificate), key->expose_text()});
  if (!usable.ok()) return std::unexpected(file_failure(options.certificate, usable.error()));
  if (auto saved = save_secret(paths.config / "tls.key", key->expose()); !saved) return saved;
  return save_public(paths.config / "tls.crt", as_text(*certificate));
}

Outcome<void> make_server(const Paths& paths, const InitServerOptions& options) {
  if (!wire::valid_host(options.name)) {
    return std::unexpected(Failure{"\"" + options.name + "\" is not a host name", kExitUsage});
  }
  for (const std::string& address : options.addresses) {
    if (!parse_server_address(address)) {
      return std::unexpected(Failure{
          "\"" + address + "\" is not a host and port, as in \"example.org:443\"", kExitUsage});
    }
  }
  for (const std::string& listen : options.listen) {
    if (!Endpoint::parse(listen)) {
      return std::unexpected(Failure{"\"" + listen +
                                         "\" is not an address and port, as in "
                                         "\"0.0.0.0:443\" or \"[::]:443\"",
                                     kExitUsage});
    }
  }
  platform::HeldSignals held({SIGINT, SIGTERM, SIGHUP});
  platform::OsEntropy entropy;
  if (auto made = make_directory(paths.config); !made) return made;
  if (auto made = make_directory(paths.state); !made) return made;
  // Two at once would take each other's files away.
  const auto lock = platform::StateDirectory::open(paths.state.string());
  if (!lock.ok()) return std::unexpected(file_failure(paths.state.string(), lock.error()));
  if (auto is_free = check_free(paths); !is_free) return is_free;
  NewServer made_here(paths);
  if (auto saved = save_certificate(paths, options); !saved) return saved;
  if (auto saved = save_identity(paths.identity(), entropy); !saved) return saved;
  const keys::FrontSecrets front(keys::FrontSecret::random(entropy), 1);
  const auto text = front.format();
  if (auto saved = save_secret(paths.front_secret(), text.text.expose().first(text.size)); !saved) {
    return saved;
  }
  const auto nobody = keys::ClientRegistry().format();
  if (auto saved = save_secret(paths.registry(), nobody.expose()); !saved) return saved;
  if (const auto signal = held.take()) {
    return std::unexpected(Failure{"interrupted; nothing was made", kExitSignal + *signal});
  }
  // Last: a directory with these settings is a complete server.
  if (auto saved = save_public(paths.server_settings(), settings_text(options)); !saved) {
    return saved;
  }
  made_here.finish();
  // One that came this late is answered by what is printed: the server is there.
  static_cast<void>(held.take());
  return {};
}

}  // namespace

int init_server(const Paths& paths, const InitServerOptions& given) {
  InitServerOptions options = given;
  if (options.listen.empty()) options.listen = {"0.0.0.0:443", "[::]:443"};
  if (options.addresses.empty()) options.addresses = {format_server_address({options.name, 443})};
  const auto made = make_server(paths, options);
  if (!made) return fail(made.error());
  const auto identity = load_identity(paths.identity());
  if (!identity) return fail(identity.error());
  std::printf(
      "This server is %s\n\nNext:\n"
      "  %-20s  start it (root, or another port, for ports below 1024)\n"
      "  %-20s  let someone in\n\nSettings: %s\n",
      identity->node_id().text().c_str(), command_line(paths, "up").c_str(),
      command_line(paths, "invite alice").c_str(), paths.server_settings().c_str());
  return kExitOk;
}

}  // namespace karst::app
