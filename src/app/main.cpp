#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "app/commands.h"
#include "app/completion.h"
#include "app/failure.h"
#include "app/paths.h"
#include "app/version.h"

namespace {

using namespace karst::app;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Environment environment() {
  return {::geteuid() == 0, variable("HOME"), variable("XDG_CONFIG_HOME"),
          variable("XDG_STATE_HOME"), variable("XDG_RUNTIME_DIR")};
}

constexpr const char* kFooter =
    "A server and a client, from nothing:\n"
    "  server$ karst init server --name www.example.org\n"
    "  server$ karst up\n"
    "  server$ karst invite alice          prints karst://...\n"
    "  client$ karst join karst://...\n"
    "  client$ karst up                    SOCKS5 and HTTP proxy on 127.0.0.1:1080\n"
    "  client$ karst status\n";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Karst, a post-quantum tunnel for bad networks", "karst");
  app.footer(kFooter);
  app.set_version_flag("--version", "karst " + std::string(kVersion), "Print the version");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_help_flag("-h,--help", "Print this help");
  std::string directory;
  app.add_option("--dir", directory,
                 "Keep or find everything of this server or client in this directory")
      ->type_name("DIR");

  int code = kExitOk;
  const auto paths = [&] {
    return find_paths(
        directory.empty() ? std::nullopt : std::optional<std::filesystem::path>(directory),
        environment());
  };

  CLI::App* init = app.add_subcommand("init", "Make the files of a new server");
  init->require_subcommand(1);
  CLI::App* server =
      init->add_subcommand("server", "Make identity, secrets and settings of a server");
  InitServerOptions init_options;
  server->add_option("--name", init_options.name, "Host name of the web site that strangers see")
      ->required()
      ->type_name("HOST");
  server
      ->add_option("--listen", init_options.listen,
                   "Address and port to accept on (default 0.0.0.0:443 and [::]:443)")
      ->type_name("ADDR:PORT");
  server
      ->add_option("--address", init_options.addresses,
                   "Where clients reach the server (default NAME:443)")
      ->type_name("HOST:PORT");
  auto* cert = server->add_option("--cert", init_options.certificate,
                                  "Certificate in PEM (default: a self-signed one)");
  auto* key = server->add_option("--key", init_options.key, "Its private key in PEM, mode 0600");
  cert->needs(key)->type_name("FILE");
  key->needs(cert)->type_name("FILE");
  server->callback([&] { code = init_server(paths(), init_options); });

  CLI::App* inviting = app.add_subcommand("invite", "Let someone in: prints a karst:// invite");
  InviteOptions invite_options;
  inviting->add_option("name", invite_options.name, "Name of the client, for you")
      ->required()
      ->type_name("NAME");
  inviting
      ->add_option("--expires", invite_options.expires,
                   "How long it can be used: 7d, 12h, 30m (default 7d)")
      ->type_name("TIME");
  inviting
      ->add_option("--address", invite_options.addresses,
                   "Where this client reaches the server (default: the settings' addresses)")
      ->type_name("HOST:PORT");
  inviting->add_flag("--qr", invite_options.qr, "Draw it as a QR code as well");
  inviting->callback([&] { code = invite(paths(), invite_options); });

  CLI::App* joining =
      app.add_subcommand("join", "Become a client of the server that an invite names");
  JoinOptions join_options;
  joining
      ->add_option("uri", join_options.uri,
                   "The invite, karst://...; - reads it from standard input")
      ->required()
      ->type_name("URI");
  joining
      ->add_option("--socks", join_options.socks,
                   "Where the local proxy listens (default 127.0.0.1:1080)")
      ->type_name("ADDR:PORT");
  joining->callback([&] { code = join(paths(), join_options); });

  app.add_subcommand("up", "Run the server or client, in the foreground")->callback([&] {
    code = up(paths());
  });

  bool json = false;
  CLI::App* asking = app.add_subcommand("status", "Say what the running server or client does");
  asking->add_flag("--json", json, "For programs");
  asking->callback([&] { code = status(paths(), json); });

  app.add_subcommand("id", "Print the own node id")->callback([&] { code = show_id(paths()); });

  CLI::App* clients = app.add_subcommand("clients", "List a server's clients and open invites");
  clients->add_flag("--json", json, "For programs");
  clients->callback([&] { code = list_clients(paths(), json); });

  std::string name;
  CLI::App* revoking = app.add_subcommand("revoke", "Shut a client out, at once");
  revoking->add_option("name", name, "Name of the client")->required()->type_name("NAME");
  revoking->callback([&] { code = revoke(paths(), name); });

  CLI::App* config = app.add_subcommand("config", "Look after settings");
  config->require_subcommand(1);
  config->add_subcommand("check", "Read settings and secrets and say what is wrong")->callback([&] {
    code = check_config(paths());
  });

  CLI::App* completing = app.add_subcommand("completion", "Print a completion script");
  completing->require_subcommand(1);
  completing
      ->add_subcommand("bash", "For bash: karst completion bash > /etc/bash_completion.d/karst")
      ->callback([&] { std::fputs(kBashCompletion, stdout); });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int result = app.exit(error);
    return result == 0 ? kExitOk : kExitUsage;
  }
  return code;
}
