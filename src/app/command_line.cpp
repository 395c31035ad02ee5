#include "app/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/commands.h"
#include "app/completion.h"
#include "app/failure.h"
#include "app/lab_command_line.h"
#include "app/version.h"

namespace karst::app {
namespace {

constexpr const char* kOnServer = "On the server";
constexpr const char* kOnClient = "On the client";
constexpr const char* kOnBoth = "On both";
constexpr const char* kOther = "Other";

constexpr const char* kFirstSteps =
    "A server and a client, from nothing:\n"
    "  server$ karst init server --name www.example.org\n"
    "  server$ karst up\n"
    "  server$ karst invite alice          prints karst://...\n"
    "  client$ karst join karst://...\n"
    "  client$ karst up                    SOCKS5 and HTTP proxy on 127.0.0.1:1080\n"
    "  client$ karst status\n"
    "\n"
    "More on a command: karst help COMMAND";

// The program while its arguments are read: what they name is kept here and run afterwards.
struct Program {
  CLI::App app{"Karst, a post-quantum tunnel for bad networks", "karst"};
  std::string directory;
  std::function<int(const Paths&)> run;
};

// A command with what all of them have. `footer` is the last part of its help.
CLI::App* add_command(Program& program, CLI::App& parent, const std::string& name,
                      const std::string& description, const std::string& footer = "") {
  CLI::App* command = parent.add_subcommand(name, description);
  command->footer(footer);
  command->add_option("--dir", program.directory, "The one directory that it lives in")
      ->type_name("DIR");
  return command;
}

// A command of which only its parts do something.
CLI::App* add_group(CLI::App& parent, const std::string& name, const std::string& description) {
  CLI::App* group = parent.add_subcommand(name, description);
  group->footer("");
  group->require_subcommand(1);
  return group;
}

CLI::Option* positional(CLI::App& command, const std::string& name, std::string& value,
                        const std::string& description) {
  return command.add_option(name, value, description)->required()->type_name("");
}

void add_init(Program& program) {
  CLI::App* init = add_group(program.app, "init", "Make the files of a new server");
  init->group(kOnServer);
  CLI::App* server =
      add_command(program, *init, "server", "Make identity, secrets and settings of a server",
                  "Nothing that exists is overwritten.\n"
                  "Example: karst init server --name www.example.org --address 192.0.2.1:443");
  auto options = std::make_shared<InitServerOptions>();
  server->add_option("--name", options->name, "Host name of the web site that strangers see")
      ->required()
      ->type_name("HOST");
  add_list(*server, "--listen", options->listen, "ADDR:PORT",
           "Where to accept (default 0.0.0.0:443, [::]:443)");
  add_list(*server, "--address", options->addresses, "HOST:PORT",
           "Where clients reach the server (default HOST:443)");
  auto* cert = server->add_option("--cert", options->certificate,
                                  "Certificate in PEM (default: a self-signed one)");
  auto* key = server->add_option("--key", options->key, "Its private key in PEM, mode 0600");
  cert->needs(key)->type_name("FILE");
  key->needs(cert)->type_name("FILE");
  server->callback([&program, options] {
    program.run = [options](const Paths& paths) { return init_server(paths, *options); };
  });
}

void add_invite(Program& program) {
  CLI::App* command =
      add_command(program, program.app, "invite", "Let someone in: prints a karst:// invite",
                  "The invite goes to standard output, and nothing else does. It is a secret:\n"
                  "whoever has it first is in. It is good once; until then `karst revoke NAME`\n"
                  "takes it back. The server may be running or not.");
  command->group(kOnServer);
  auto options = std::make_shared<InviteOptions>();
  positional(*command, "NAME", options->name, "What to call this client in lists and logs");
  command
      ->add_option("--expires", options->expires,
                   "How long it can be used: 7d, 12h, 30m (default 7d)")
      ->type_name("TIME");
  add_list(*command, "--address", options->addresses, "HOST:PORT",
           "Where it reaches the server (default: server.toml)");
  command->add_flag("--qr", options->qr, "Draw it as a QR code on standard error as well");
  command->callback([&program, options] {
    program.run = [options](const Paths& paths) { return invite(paths, *options); };
  });
}

void add_clients(Program& program) {
  CLI::App* command = add_command(program, program.app, "clients", "List clients and open invites");
  command->group(kOnServer);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "For programs");
  command->callback([&program, json] {
    program.run = [json](const Paths& paths) { return list_clients(paths, *json); };
  });
}

void add_revoke(Program& program) {
  CLI::App* command =
      add_command(program, program.app, "revoke", "Shut a client out, or take an invite back");
  command->group(kOnServer);
  auto name = std::make_shared<std::string>();
  positional(*command, "NAME", *name, "A name that `karst clients` lists");
  command->callback([&program, name] {
    program.run = [name](const Paths& paths) { return revoke(paths, *name); };
  });
}

void add_join(Program& program) {
  CLI::App* command = add_command(
      program, program.app, "join", "Become a client of the server that an invite names",
      "Other users of this machine can see arguments; `karst join -` reads the invite\n"
      "from standard input. If the server cannot be reached now, everything is kept,\n"
      "and `karst up` joins later.");
  command->group(kOnClient);
  auto options = std::make_shared<JoinOptions>();
  positional(*command, "URI", options->uri, "The invite, karst://..., or - for standard input");
  command->add_option("--socks", options->socks, "Where its proxy listens (default 127.0.0.1:1080)")
      ->type_name("ADDR:PORT");
  command->callback([&program, options] {
    program.run = [options](const Paths& paths) { return join(paths, *options); };
  });
}

void add_up(Program& program) {
  CLI::App* command = add_command(
      program, program.app, "up", "Run the server or client, in the foreground",
      "On a terminal it shows what the tunnel does; otherwise it writes a log to\n"
      "standard error. SIGTERM, Ctrl-C or closing its terminal lets open connections\n"
      "finish for up to 10 s; a second SIGTERM or Ctrl-C ends it at once. SIGHUP reads\n"
      "clients, certificate, egress rules and log settings again (server), or dials at\n"
      "once (client).");
  command->group(kOnBoth);
  auto options = std::make_shared<UpOptions>();
  command
      ->add_option("--rekey-window", options->rekey_window,
                   "Keys prepared ahead, 1 to 512 (default: settings)")
      ->type_name("N|auto");
  // In no help text: it plants a ceiling for `karst lab ceilings`.
  command->add_option("--lab-h2-window", options->lab_h2_window)
      ->group("")
      ->check(CLI::Range(65'535, 1 << 30));
  command->callback([&program, options] {
    program.run = [options](const Paths& paths) { return up(paths, *options); };
  });
}

void add_status(Program& program) {
  CLI::App* command =
      add_command(program, program.app, "status", "Say what the running server or client does",
                  "Ends with 3 when none is running.");
  command->group(kOnBoth);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "For programs");
  command->callback([&program, json] {
    program.run = [json](const Paths& paths) { return status(paths, *json); };
  });
}

void add_id(Program& program) {
  CLI::App* command =
      add_command(program, program.app, "id", "Print the node id of this server or client");
  command->group(kOnBoth);
  command->callback([&program] { program.run = show_id; });
}

void add_config(Program& program) {
  CLI::App* config = add_group(program.app, "config", "Look after settings");
  config->group(kOnBoth);
  add_command(program, *config, "check", "Read settings and secrets and say what is wrong")
      ->callback([&program] { program.run = check_config; });
}

void add_completion(Program& program) {
  CLI::App* completion = add_group(program.app, "completion", "Print a completion script");
  completion->group(kOther);
  CLI::App* bash = completion->add_subcommand("bash", "Print a completion script for bash");
  bash->footer("Once for all users: karst completion bash > /etc/bash_completion.d/karst");
  bash->callback([&program] {
    program.run = [&program](const Paths&) {
      std::fputs(bash_completion(program.app).c_str(), stdout);
      return kExitOk;
    };
  });
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

void add_help(Program& program) {
  CLI::App* help = program.app.add_subcommand("help", "Explain a command");
  help->footer("");
  help->group(kOther);
  auto words = std::make_shared<std::vector<std::string>>();
  help->add_option("COMMAND", *words, "Such as: init server")->type_name("");
  help->callback([&program, words] {
    program.run = [&program, words](const Paths&) {
      const CLI::App* command = &program.app;
      for (const std::string& word : *words) {
        const auto found = command->get_subcommands(
            [&word](const CLI::App* part) { return part->get_name() == word; });
        if (found.empty()) return fail({"there is no command \"" + word + "\"", kExitUsage});
        command = found.front();
      }
      const auto formatter = command->get_formatter();
      std::fputs(
          formatter->make_help(command, full_name(*command), CLI::AppFormatMode::Normal).c_str(),
          stdout);
      return kExitOk;
    };
  });
}

// The innermost command that the line names so far.
const CLI::App& named_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : named_command(*commands.front());
}

// What is wrong with the line, in our words where the library's are of no use.
std::string describe(const CLI::App& command, const CLI::ParseError& error) {
  const auto rest = command.remaining();
  const bool group = !command.get_subcommands([](const CLI::App*) { return true; }).empty();
  if (!rest.empty() && (group || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)) {
    if (group && !rest.front().starts_with('-')) {
      return "there is no command \"" + rest.front() + "\"";
    }
    return "\"" + rest.front() + "\" is not expected here";
  }
  if (group && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return "a command is missing";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string option = error.what();
    return option.substr(0, option.find(':')) + " needs a value";
  }
  return error.what();
}

int explain(const Program& program, const CLI::ParseError& error) {
  const CLI::App& command = named_command(program.app);
  return fail({describe(command, error) + "; see " + full_name(command) + " --help", kExitUsage});
}

}  // namespace

// A greedy option would take the command's own argument for another value.
void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
              const std::string& type, const std::string& description) {
  command.add_option(name, values, description)
      ->type_name(type)
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false);
}

int run_command_line(int argc, const char* const* argv, const Environment& environment) {
  Program program;
  program.app.footer(kFirstSteps);
  program.app.set_version_flag("--version", "karst " + std::string(kVersion), "Print the version");
  program.app.set_help_flag("-h,--help", "Print this help");
  program.app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  program.app.get_formatter()->label("REQUIRED", "(required)");
  program.app.get_formatter()->label("Needs", "with");
  program.app.get_formatter()->column_width(28);
  program.app.require_subcommand(1);
  program.app.add_option("--dir", program.directory, "The one directory of a server or client")
      ->type_name("DIR");
  for (const auto add : {add_init, add_invite, add_clients, add_revoke, add_join, add_up,
                         add_status, add_id, add_config, add_completion, add_help}) {
    add(program);
  }
  add_lab_commands(program.app, [&program](std::function<int()> run) {
    program.run = [run = std::move(run)](const Paths&) { return run(); };
  });
  try {
    program.app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return program.app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return explain(program, error);
  }
  return program.run(find_paths(program.directory.empty()
                                    ? std::nullopt
                                    : std::optional<std::filesystem::path>(program.directory),
                                environment));
}

}  // namespace karst::app
