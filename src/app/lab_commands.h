#pragma once

#include <string>
#include <vector>

#include "app/cell_choice.h"
#include "lab/link_options.h"

// The commands of `karst lab`, one file each; as those of commands.h.
namespace karst::app {

struct LabLinkOptions {
  lab::LinkOptions link;
  bool check_only = false;
  bool no_check = false;
  std::vector<std::string> command;
};
int lab_link(const LabLinkOptions& options);

struct LabGateOptions {
  bool quick = false;
  bool full = false;
  CellChoice choice;  // of the full gate's
  std::size_t pairs = 3;
  std::string policy;
  std::string rekey_window;
  std::string congestion_control;  // empty: the host's
  std::string folder = "karst-gate";
  bool resume = false;
  std::string program;  // the karst to measure; empty: this one
};
int lab_gate(const LabGateOptions& options);
// Writes the report of the results in a folder anew.
int lab_report(const std::string& folder);

struct LabCeilingsOptions {
  std::string folder = "karst-ceilings";
  std::string only;  // a part of the names to run; empty: all
};
int lab_ceilings(const LabCeilingsOptions& options);

struct LabSoakOptions {
  lab::LinkOptions link;
  double minutes = 30;
  std::string policy;
  std::string folder = "karst-soak";
  std::string program;  // the karst to measure; empty: this one
};
int lab_soak(const LabSoakOptions& options);

// `karst lab outage` and `karst lab roam`.
struct LabInterruptionOptions {
  lab::LinkOptions link;
  std::vector<double> seconds;  // of outages, one run each; empty: a NAT that is rebound
  std::string folder;
  std::string program;
};
int lab_interruption(const LabInterruptionOptions& options);

struct LabCompareOptions {
  CellChoice choice;  // of the full gate's; none: the comparison's own cells
  std::size_t rounds = 3;
  unsigned seconds = 0;            // of a run; 0: as the gate's
  std::vector<std::string> peers;  // names; none: all
  std::string folder = "karst-compare";
  std::string program;  // the karst to measure; empty: this one
};
int lab_compare(const LabCompareOptions& options);

}  // namespace karst::app
