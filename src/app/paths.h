#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace karst::app {

// Where a role's files are on this machine.
struct Paths {
  std::filesystem::path config;  // settings, identity, certificates, front secret
  std::filesystem::path state;   // what the daemon writes: clients, credentials
  std::filesystem::path run;     // the control socket
  bool one_directory = false;    // --dir was given

  std::filesystem::path server_settings() const { return config / "server.toml"; }
  std::filesystem::path client_settings() const { return config / "client.toml"; }
  std::filesystem::path identity() const { return config / "identity.key"; }
  std::filesystem::path front_secret() const { return config / "front.secret"; }
  std::filesystem::path registry() const { return state / "clients"; }
  std::filesystem::path psk() const { return state / "client.psk"; }
  std::filesystem::path invite() const { return state / "invite.secret"; }
  std::filesystem::path control() const { return run / "control.sock"; }
};

// What a person types to run `command` on what lives there: "karst up", with --dir where it is
// needed.
std::string command_line(const Paths& paths, std::string_view command);

// What of the environment matters here; main() reads it.
struct Environment {
  bool root = false;
  std::string home;
  std::string config_home;
  std::string state_home;
  std::string runtime_dir;
};

// `directory` is --dir: everything of one role in one place.
Paths find_paths(const std::optional<std::filesystem::path>& directory,
                 const Environment& environment);

}  // namespace karst::app
