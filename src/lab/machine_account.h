#pragma once

#include <cstdint>

namespace karst::lab {

// Processor time of the whole machine since it started, in ticks of its clock, all processors
// together (/proc/stat, proc(5)).
struct MachineAccount {
  std::uint64_t total = 0;
  std::uint64_t idle = 0;
};

// Nothing where the kernel does not say.
MachineAccount machine_account();

// How much of the time between two accounts no processor had work for, 0..1; 1 of no time.
double idle_share(const MachineAccount& from, const MachineAccount& to);

}  // namespace karst::lab
