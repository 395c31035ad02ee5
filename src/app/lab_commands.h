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

}  // namespace karst::app
