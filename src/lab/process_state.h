#pragma once

#include <sys/types.h>

#include <cstdint>

// What the kernel says about another process (proc(5)). 0 of one that has gone.
namespace karst::lab {

std::uint64_t resident_bytes(pid_t pid);
// The most so far, or since forget_resident_peak().
std::uint64_t resident_peak_bytes(pid_t pid);
// Needs root over the process; without, the peak stays that of its whole life.
bool forget_resident_peak(pid_t pid);
std::uint64_t open_descriptors(pid_t pid);

}  // namespace karst::lab
