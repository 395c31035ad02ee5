#include "app/lab_command_line.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/command_line.h"
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
  add_list(command, "--outage", link.outages, "AT:LENGTH",
           "Lose everything from AT on for LENGTH seconds");
  add_list(command, "--rebind", link.rebinds, "AT", "The near side's NAT forgets its mappings");
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

void add_cell_choice(CLI::App& command, CellChoice& choice) {
  add_list(command, "--rtt", choice.rtt, "MS", "Only cells with this RTT: 60, 100, 210");
  add_list(command, "--rate", choice.rate, "MBIT", "Only with this rate: 100, 1000");
  add_list(command, "--loss", choice.loss, "PERCENT", "Only with this loss: 0, 0.1, 1");
  add_list(command, "--traffic", choice.traffic, "KIND", "Only up, down or both");
  add_list(command, "--streams", choice.streams, "N", "Only with 1 or 8 streams");
}

void add_gate(CLI::App& lab, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* command =
      lab.add_subcommand("gate", "Compare the tunnel with bare TCP on a grid of paths");
  command->footer(
      "Each cell is measured in pairs, a direct run and one through a fresh tunnel, on the same\n"
      "emulated path with the same lost packets. Every byte is verified. Results go to\n"
      "FOLDER/results.jsonl as they come. Ends with 1 if a cell or a loss level fails, with 5 if\n"
      "none does but a cell is inconclusive, and with 4 if the path is not as asked, as on a busy\n"
      "machine: nothing was found out then. After Ctrl-C or a crash --resume goes on.\n"
      "Examples:\n"
      "  karst lab gate --quick\n"
      "  karst lab gate --full --out results          hours; --resume goes on\n"
      "  karst lab gate --rtt 60 --rate 1000 --loss 1");
  auto options = std::make_shared<LabGateOptions>();
  auto* quick =
      command->add_flag("--quick", options->quick,
                        "8 cells, one pair each (three where under 0.90): about 4 minutes");
  command->add_flag("--full", options->full, "All 108 cells (also: what the choices below leave)")
      ->excludes(quick);
  add_cell_choice(*command, options->choice);
  command->add_option("--pairs", options->pairs, "Pairs in each cell (default 3)")
      ->type_name("N")
      ->check(CLI::Range(1, 9));
  option(*command, "--policy", options->policy, "NAME", "Rekeying policy of both ends");
  option(*command, "--rekey-window", options->rekey_window, "N", "Keys prepared ahead");
  option(*command, "--congestion-control", options->congestion_control, "NAME",
         "Of TCP at both ends, bare and tunnel (default: this host's)");
  option(*command, "--out", options->folder, "FOLDER", "Where results go (default karst-gate)");
  command->add_flag("--resume", options->resume, "Go on with the results in FOLDER");
  option(*command, "--program", options->program, "FILE", "The karst to measure (default: this)");
  command->callback([set_run, options] { set_run([options] { return lab_gate(*options); }); });
}

void add_report(CLI::App& lab, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* command =
      lab.add_subcommand("report", "Write the report of a gate's or a comparison's results anew");
  command->footer(
      "Reads FOLDER/results.jsonl and writes FOLDER/report.html, one page that needs no other "
      "file.\n"
      "Results of several runs of one gate, each of other cells, can be put into one file first:\n"
      "  cat one/results.jsonl two/results.jsonl > all/results.jsonl\n"
      "  karst lab report all");
  auto folder = std::make_shared<std::string>();
  command->add_option("FOLDER", *folder, "Where results.jsonl is")->type_name("")->required();
  command->callback([set_run, folder] { set_run([folder] { return lab_report(*folder); }); });
}

void add_ceilings(CLI::App& lab, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* command =
      lab.add_subcommand("ceilings", "Plant known limits and see whether the tunnel names them");
  command->footer(
      "Rekey windows against their model, pinned TCP buffers, a fixed HTTP/2 window, other\n"
      "policies: each with what theory allows, what was measured, and what the tunnel says\n"
      "limits it. About five minutes. Ends with 1 if a rate is not the model's (15 %) where the\n"
      "model binds, or a planted limit is not named.");
  auto options = std::make_shared<LabCeilingsOptions>();
  option(*command, "--out", options->folder, "FOLDER", "Where results go (default karst-ceilings)");
  option(*command, "--only", options->only, "TEXT", "Only ceilings with TEXT in their names");
  command->callback([set_run, options] { set_run([options] { return lab_ceilings(*options); }); });
}

// What the scenarios let one choose of their path.
void add_path_options(CLI::App& command, lab::LinkOptions& link) {
  option(command, "--rtt", link.rtt, "MS", "Round trip, half of it each way (default 60)");
  option(command, "--rate", link.rate, "MBIT", "Rate (default 100)");
  option(command, "--loss", link.loss, "PERCENT", "Segments lost, each by itself");
  command.add_option("--seed", link.seed, "The same seed drops the same segments (default 1)")
      ->type_name("N");
}

void add_soak(CLI::App& lab, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* command = lab.add_subcommand("soak", "Load a tunnel for long and look for what grows");
  command->footer(
      "A transfer each way all the time, and beside them short streams that are opened, ended,\n"
      "half-closed and reset. Memory, descriptors, keys, queues and streams of both ends are\n"
      "watched; the last quarter of the time is compared with the second. Every byte is verified.\n"
      "Ends with 1 if something grew, a rekey deadline expired or the link was lost.\n"
      "Example:\n"
      "  karst lab soak --minutes 30 --rtt 210 --rate 100");
  auto options = std::make_shared<LabSoakOptions>();
  add_path_options(*command, options->link);
  command->add_option("--minutes", options->minutes, "How long (default 30)")
      ->type_name("N")
      ->check(CLI::Range(0.1, 10'000.0));
  option(*command, "--policy", options->policy, "NAME", "Rekeying policy of both ends");
  option(*command, "--out", options->folder, "FOLDER", "Where results go (default karst-soak)");
  option(*command, "--program", options->program, "FILE", "The karst to measure (default: this)");
  command->callback([set_run, options] { set_run([options] { return lab_soak(*options); }); });
}

void add_outage(CLI::App& lab, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* command =
      lab.add_subcommand("outage", "Cut the path in the middle of transfers and see what happens");
  command->footer(
      "The path is dead for so many seconds while data moves both ways; one run, with a fresh\n"
      "tunnel, for each length. Columns: what became of the link (for a new one, when it was up,\n"
      "from the moment when the path was back), when bytes arrived again each way, streams cut.\n"
      "Ends with 1 if 3 s or less cost the link, if a stream of a lost link looked complete, if\n"
      "a new link took more than 2 s, or if traffic did not flow again.\n"
      "Example:\n"
      "  karst lab outage --seconds 3,10,30 --rtt 210");
  auto options = std::make_shared<LabInterruptionOptions>();
  options->folder = "karst-outage";
  options->seconds = {3, 10, 30};
  add_path_options(*command, options->link);
  command->add_option("--seconds", options->seconds, "How long, one run each (default 3,10,30)")
      ->type_name("N,...")
      ->delimiter(',')
      ->check(CLI::Range(0.1, 600.0));
  option(*command, "--out", options->folder, "FOLDER", "Where results go (default karst-outage)");
  option(*command, "--program", options->program, "FILE", "The karst to measure (default: this)");
  command->callback(
      [set_run, options] { set_run([options] { return lab_interruption(*options); }); });
}

void add_roam(CLI::App& lab, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* command =
      lab.add_subcommand("roam", "Change the client's address in the middle of transfers");
  command->footer(
      "A NAT in front of the client forgets its mappings, as when a client changes networks.\n"
      "Columns and rules are those of `karst lab outage`, counted from that moment.");
  auto options = std::make_shared<LabInterruptionOptions>();
  options->folder = "karst-roam";
  add_path_options(*command, options->link);
  option(*command, "--out", options->folder, "FOLDER", "Where results go (default karst-roam)");
  option(*command, "--program", options->program, "FILE", "The karst to measure (default: this)");
  command->callback(
      [set_run, options] { set_run([options] { return lab_interruption(*options); }); });
}

void add_compare(CLI::App& lab, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* command =
      lab.add_subcommand("compare", "Compare Karst with bare TCP and with other tunnels");
  command->footer(
      "Peers: wireguard-go, openvpn-udp, openvpn-tcp, openssh, shadowsocks-libev, v2ray, stunnel,\n"
      "kcptun. Those that are not installed are listed as absent. Each run has fresh processes on\n"
      "the same emulated path with the same losses; every byte is verified. Without a choice the\n"
      "cells are 60/1000/0, 60/1000/1, 210/1000/0 and 210/100/1, down and up, one stream. Ends\n"
      "with 1 if a run failed.\n"
      "Examples:\n"
      "  karst lab compare --out comparison                hours with all peers\n"
      "  karst lab compare --peer openssh --rtt 60 --rate 100 --loss 0 --streams 1");
  auto options = std::make_shared<LabCompareOptions>();
  add_cell_choice(*command, options->choice);
  add_list(*command, "--peer", options->peers, "NAME", "Only this peer (default: all)");
  command->add_option("--rounds", options->rounds, "Runs of each in each cell (default 3)")
      ->type_name("N")
      ->check(CLI::Range(1, 9));
  command->add_option("--seconds", options->seconds, "How long a run lasts (default: as the gate)")
      ->type_name("N")
      ->check(CLI::Range(2, 120));
  option(*command, "--out", options->folder, "FOLDER", "Where results go (default karst-compare)");
  option(*command, "--program", options->program, "FILE", "The karst to measure (default: this)");
  command->callback([set_run, options] { set_run([options] { return lab_compare(*options); }); });
}

}  // namespace

void add_lab_commands(CLI::App& program, const std::function<void(std::function<int()>)>& set_run) {
  CLI::App* lab = program.add_subcommand("lab", "Measure on emulated long and lossy paths");
  lab->group("Other");
  lab->footer("");
  lab->require_subcommand(1);
  add_link(*lab, set_run);
  add_gate(*lab, set_run);
  add_report(*lab, set_run);
  add_ceilings(*lab, set_run);
  add_soak(*lab, set_run);
  add_outage(*lab, set_run);
  add_roam(*lab, set_run);
  add_compare(*lab, set_run);
}

}  // namespace karst::app
