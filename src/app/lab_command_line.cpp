#include "app/lab_command_line.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/lab_commands.h"

namespace karst::app {
namespace {

CLI::Option* option(CLI::App& command, const std::string& name, std::string& value,
                    const std::string& type, const std::string& text) {
  return command.add_option(name, value, text)->type_name(type);
}

void add_link_options(CLI::App& command, lab::LinkOptions& link) {
  option(command, "--rtt", link.rtt, "MS", "Round trip, half of it each way (default 60)");
  option(command, "--rate", link.rate, "MBIT", "Rate, 0 for no limit (default 100)");
  option(command, "--queue", link.queue, "SIZE",
         "What may wait for the wire: 200ms, 500KB (default: what it carries in one RTT)");
  option(command, "--loss", link.loss, "PERCENT", "Segments lost, each by itself");
  option(command, "--bursts", link.bursts, "PERCENT,LENGTH",
         "Segments lost in bursts of on average LENGTH");
  option(command, "--jitter", link.jitter, "MS", "Later by up to so much, in order");
  option(command, "--reorder", link.reorder, "PERCENT,MS", "Overtaken by what comes MS behind");
  option(command, "--duplicate", link.duplicate, "PERCENT", "Segments that come twice");
  option(command, "--mtu", link.mtu, "BYTES", "Longest packet; the sender is told by ICMP");
  command.add_flag("--black-hole", link.black_hole, "Nobody is told that a packet was too long");
  command.add_flag("--block-udp", link.block_udp, "Drop all UDP");
  command.add_flag("--codel", link.codel, "The queue drops by CoDel (RFC 8289), not at its end");
  command.add_option("--outage", link.outages, "Lose everything from AT on for LENGTH seconds")
      ->type_name("AT:LENGTH")
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false);
  command.add_option("--rebind", link.rebinds, "The near side's NAT forgets its mappings")
      ->type_name("AT")
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false);
  command.add_option("--seed", link.seed, "The same seed drops the same segments (default 1)")
      ->type_name("N");
}

void add_link(CLI::App& lab, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* command =
      lab.add_subcommand("link", "Two network namespaces joined by an emulated wire");
  command->footer(
      "Values such as 1000:20 are for forward (from the near side) and back. Sizes and rates are\n"
      "those of IP packets. The link is measured first; one that is not as asked ends with 1.\n"
      "With a command, it runs in the near namespace; otherwise the link stays until Ctrl-C.\n"
      "Examples:\n"
      "  karst lab link --rtt 210 --rate 1000 --loss 1\n"
      "  karst lab link --rtt 60 --rate 100:20 -- ping -c 3 198.18.0.2\n"
      "  karst lab link --check --rtt 40 --rate 50 --bursts 2,8");
  auto options = std::make_shared<LabLinkOptions>();
  add_link_options(*command, options->link);
  auto* check = command->add_flag("--check", options->check_only, "Measure it and end");
  command->add_flag("--no-check", options->no_check, "Do not measure it first")->excludes(check);
  command->add_option("COMMAND", options->command, "What to run in the near namespace")
      ->type_name("");
  command->callback([set_run, options] { set_run([options] { return lab_link(*options); }); });
}

}  // namespace

void add_lab_commands(CLI::App& program, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* lab = program.add_subcommand("lab", "Measure on emulated long and lossy paths");
  lab->group("Other");
  lab->footer("");
  lab->require_subcommand(1);
  add_link(*lab, set_run);
}

}  // namespace karst::app
