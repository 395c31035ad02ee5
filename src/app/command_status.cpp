#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/client_daemon.h"
#include "app/commands.h"
#include "app/daemon_client.h"
#include "app/files.h"
#include "app/human_text.h"
#include "app/invites.h"
#include "app/registry_file.h"
#include "app/server_daemon.h"
#include "app/status_text.h"
#include "platform/linux/clock.h"
#include "platform/linux/state_directory.h"

namespace karst::app {

int fail(const Failure& failure) {
  std::fprintf(stderr, "karst: %s\n", failure.message.c_str());
  return failure.exit_code;
}

int status(const Paths& paths, bool json) {
  const auto answer = ask_daemon(paths, {ControlRequest::Kind::status, {}, 0, {}});
  if (!answer) return fail(answer.error());
  if (!*answer) {
    return fail({"not running (no daemon at " + paths.control().string() + "); " +
                     (holds_something(paths) ? "start it with `" + command_line(paths, "up") + "`"
                                             : nothing_here(paths).message),
                 kExitNotRunning});
  }
  if (json) {
    std::printf("%s\n", (*answer)->c_str());
  } else {
    std::fputs(render_status(**answer).c_str(), stdout);
  }
  return kExitOk;
}

int show_id(const Paths& paths) {
  if (!holds_something(paths)) return fail(nothing_here(paths));
  const auto identity = load_identity(paths.identity());
  if (!identity) return fail(identity.error());
  std::printf("%s\n", identity->node_id().text().c_str());
  return kExitOk;
}

int list_clients(const Paths& paths, bool json) {
  const auto answer = ask_daemon(paths, {ControlRequest::Kind::clients, {}, 0, {}});
  if (!answer) return fail(answer.error());
  std::string text;
  if (*answer) {
    text = **answer;
  } else {
    const auto settings = load_server_settings(paths);
    if (!settings) return fail(settings.error());
    const auto registry = load_registry(paths);
    if (!registry) return fail(registry.error());
    text = clients_json(*registry, platform::wall_now());
  }
  const auto parsed = nlohmann::json::parse(text, nullptr, false);
  if (!parsed.is_object() || parsed.contains("error")) {
    return fail({parsed.is_object() ? parsed["error"].get<std::string>()
                                    : "the daemon's answer cannot be read"});
  }
  if (json) {
    std::printf("%s\n", text.c_str());
    return kExitOk;
  }
  for (const auto& client : parsed["clients"]) {
    std::printf("%-20s %s%s\n", client["name"].get<std::string>().c_str(),
                client["node"].get<std::string>().c_str(),
                client["revoked"].get<bool>() ? "  revoked" : "");
  }
  for (const auto& invite : parsed["invites"]) {
    const auto left = invite["expires_in_seconds"].get<double>();
    std::printf(
        "%-20s %s\n", invite["name"].get<std::string>().c_str(),
        left > 0 ? ("invited, expires in " + human_time(left)).c_str() : "invited, expired");
  }
  if (parsed["clients"].empty() && parsed["invites"].empty()) {
    std::printf("nobody yet; let someone in with: karst invite NAME\n");
  }
  return kExitOk;
}

int revoke(const Paths& paths, const std::string& name) {
  auto answer = ask_daemon(paths, {ControlRequest::Kind::revoke, name, 0, {}});
  if (!answer) return fail(answer.error());
  if (*answer) {
    const auto parsed = parse_answer(**answer);
    if (!parsed.ok) return fail({parsed.error});
  } else {
    const auto settings = load_server_settings(paths);
    if (!settings) return fail(settings.error());
    auto lock = platform::StateDirectory::open(paths.state.string());
    if (!lock.ok()) return fail(file_failure(paths.state.string(), lock.error()));
    auto registry = load_registry(paths);
    if (!registry) return fail(registry.error());
    const auto ticket = revoke_name(name, *registry);
    if (!ticket) return fail(ticket.error());
    if (const auto text = registry->poll_write(platform::monotonic_now())) {
      if (RegistryFile::write(paths.registry(), text->expose()) != keys::WriteOutcome::durable) {
        return fail({paths.registry().string() + " could not be written; nothing was changed"});
      }
    }
  }
  std::printf("%s is revoked.\n", name.c_str());
  return kExitOk;
}

int check_config(const Paths& paths) {
  std::error_code ignored;
  if (std::filesystem::exists(paths.server_settings(), ignored)) {
    const auto settings = load_server_settings(paths);
    if (!settings) return fail(settings.error());
    if (const auto identity = load_identity(paths.identity()); !identity) {
      return fail(identity.error());
    }
    if (const auto front = load_server_front(paths); !front) return fail(front.error());
    if (const auto tls = load_server_tls(*settings); !tls) return fail(tls.error());
    if (const auto registry = load_registry(paths); !registry) return fail(registry.error());
    std::printf("%s and its files are good.\n", paths.server_settings().c_str());
    return kExitOk;
  }
  if (!holds_something(paths)) return fail(nothing_here(paths));
  const auto settings = load_client_settings(paths);
  if (!settings) return fail(settings.error());
  if (const auto identity = load_identity(paths.identity()); !identity) {
    return fail(identity.error());
  }
  if (const auto front = load_client_front(paths); !front) return fail(front.error());
  if (const auto credential = load_credential(paths); !credential) return fail(credential.error());
  if (settings->proxy_user) {
    if (const auto password = load_proxy_credentials(*settings); !password) {
      return fail(password.error());
    }
  }
  std::printf("%s and its files are good.\n", paths.client_settings().c_str());
  return kExitOk;
}

}  // namespace karst::app
