#include "app/completion.h"

#include <CLI/CLI.hpp>
#include <vector>

namespace karst::app {
namespace {

// Goes along the line to find the command that the word belongs to.
constexpr const char* kHead = R"(# Completion of karst for bash.
_karst() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
  local command="" skip="" words="" item i
  for ((i = 1; i < COMP_CWORD; i++)); do
    item="${COMP_WORDS[i]}"
    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$item" in
)";
constexpr const char* kAfterValues = R"(      -*) ;;
      *) command="$command $item" ;;
    esac
  done
  case "$previous" in
)";
constexpr const char* kAfterTypes = R"(  esac
  case "$command " in
)";
constexpr const char* kTail = R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _karst karst
)";

struct Words {
  std::string values;  // options that take a value, "--dir|--name"
  std::string files;
  std::string directories;
  std::string commands;  // lines of the case, innermost first
};

void add(std::string& list, const char* between, const std::string& item) {
  const std::string all = between + list + between;
  if (all.find(between + item + between) != all.npos) return;
  list += (list.empty() ? "" : between) + item;
}

std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

void collect(const CLI::App& app, const std::string& path, Words& words) {
  std::string here;
  for (const CLI::App* command : all_commands(app)) {
    collect(*command, path + " " + command->get_name(), words);
    add(here, " ", command->get_name());
  }
  if (app.get_name() == "help") {
    for (const CLI::App* command : all_commands(*app.get_parent())) {
      add(here, " ", command->get_name());
    }
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string name = "--" + option->get_lnames().front();
    add(here, " ", name);
    const std::string type = option->get_type_name();
    if (option->get_expected_max() == 0 || type.empty()) continue;
    add(words.values, "|", name);
    if (type == "FILE") add(words.files, "|", name);
    if (type == "DIR") add(words.directories, "|", name);
  }
  words.commands += "    \"" + path + " \"*) words=\"" + here + "\" ;;\n";
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  Words words;
  collect(program, "", words);
  return kHead + ("      " + words.values + ") skip=1 ;;\n") + kAfterValues +
         ("    " + words.files +
          ") mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); "
          "compopt -o filenames 2>/dev/null; return 0 ;;\n") +
         ("    " + words.directories +
          ") mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); "
          "compopt -o filenames 2>/dev/null; return 0 ;;\n") +
         ("    " + words.values + ") return ;;\n") + kAfterTypes + words.commands + kTail;
}

}  // namespace karst::app
