#pragma once

namespace karst {

// Prints the condition and its place to standard error and aborts. No heap, no exceptions.
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace karst

// A broken invariant of our own ends the process, in release builds too. Never for a value that
// came from a peer, a file or the network: those get a Result.
#define CHECK(condition)                                                                     \
  (__builtin_expect(!(condition), 0) ? ::karst::check_failed(#condition, __FILE__, __LINE__) \
                                     : void(0))
