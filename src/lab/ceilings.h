#pragma once

#include <atomic>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "lab/cell.h"
#include "lab/limiter.h"
#include "lab/run_error.h"

namespace karst::lab {

// A ceiling planted on purpose: one transfer through the tunnel, lossless, 1 Gbit/s.
struct Ceiling {
  std::string name;  // "rekey window 8"
  unsigned rtt_ms = 60;
  Traffic traffic = Traffic::down;
  std::string rekey_window{};  // or empty: auto
  std::string policy = "extreme";
  std::uint64_t tcp_buffer_bytes = 0;  // maxima of both ends' TCP; 0: the lab's own
  std::uint64_t h2_window_bytes = 0;   // 0: the program's own
  double model_mbit = 0;               // what the planted limit allows; 0: nothing is planted
  // Least share of the model that must be reached where it binds. Of a TCP buffer the kernel also
  // charges its own overhead, which it does not tell.
  double least_share = 0.85;
  std::vector<std::string> limiters{};  // attribution must name one of these first, where it binds
};

struct CeilingResult {
  Ceiling ceiling;
  double mbit = 0;
  double path_mbit = 0;  // bare TCP on the same path
  Limiter limiter{};
  bool rate_ok = false;
  bool named_ok = false;

  // The planted limit is below the path's own.
  bool binds() const { return ceiling.model_mbit > 0 && ceiling.model_mbit < path_mbit; }
};

// Fills in rate_ok and named_ok. Where the limit binds, the rate is between least_share and
// kMostOfModel of the model, and one of its limiters has at least kLeastNamed. Elsewhere the path
// is to be filled: to kLeastOfPath, or to kLeastBeside where a limit is planted just above it; and
// where none is, nothing that could have been planted is named.
void judge(CeilingResult& result);

inline constexpr double kMostOfModel = 1.15;
inline constexpr double kLeastNamed = 0.5;
inline constexpr double kLeastOfPath = 0.9;
inline constexpr double kLeastBeside = 0.75;

// The list: windows 1, 2, 8, 32, 64 at 60, 100 and 210 ms; TCP buffers pinned to 2 MiB, and to what
// the seed's pinned sockets had, at windows 8 and 64; a fixed 2 MiB HTTP/2 window; other policies;
// one of each kind upwards.
std::vector<Ceiling> all_ceilings();

struct CeilingPlan {
  std::vector<Ceiling> ceilings;
  std::string program;
  std::string folder;                       // results.jsonl goes there
  const std::atomic<bool>* stop = nullptr;  // set by anyone, it ends the run soon, with an error
};

// Writes results as they come. `say` gets lines for a person.
std::expected<std::vector<CeilingResult>, RunError> run_ceilings(
    const CeilingPlan& plan, const std::function<void(const std::string&)>& say);

}  // namespace karst::lab
