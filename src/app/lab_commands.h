#pragma once

#include <string>
#include <vector>

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
  std::vector<std::string> rtt;  // choose cells of the full gate; empty: all values
  std::vector<std::string> rate;
  std::vector<std::string> loss;
  std::vector<std::string> traffic;
  std::vector<std::string> streams;
  std::size_t pairs = 3;
  std::string policy;
  std::string rekey_window;
  std::string folder = "karst-gate";
  bool resume = false;
  std::string program;  // the karst to measure; empty: this one
};
int lab_gate(const LabGateOptions& options);

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

}  // namespace karst::app
