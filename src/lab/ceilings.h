#pragma once

#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "lab/cell.h"
#include "lab/limiter.h"

namespace karst::lab {

// A ceiling planted on purpose: one download through the tunnel, lossless, 1 Gbit/s.
struct Ceiling {
  std::string name;  // "rekey window 8"
  unsigned rtt_ms = 60;
  std::string rekey_window{};  // or empty: auto
  std::string policy = "extreme";
  std::uint64_t tcp_buffer_bytes = 0;  // maxima of both ends' TCP; 0: the lab's own
  std::uint64_t h2_window_bytes = 0;   // 0: the program's own
  double model_mbit = 0;               // what the planted limit allows; 0: nothing is planted
  // Least share of the model that must be reached where it binds. Of a TCP buffer the kernel also
  // charges its own overhead, which it does not tell.
  double least_share = 0.85;
  std::vector<std::string> limiters{};  // attribution must name one of these first
};

struct CeilingResult {
  Ceiling ceiling;
  double mbit = 0;
  double path_mbit = 0;  // bare TCP on the same path
  Limiter limiter{};
  bool rate_ok = false;  // between least_share and 1.15 of the model, where the model binds
  bool named_ok = false;
};

inline constexpr double kMostOfModel = 1.15;

// The list: windows 1, 2, 8, 32, 64 at 60, 100 and 210 ms; TCP buffers pinned to 2 MiB, and to what
// the seed's pinned sockets had, at windows 8 and 64; a fixed 2 MiB HTTP/2 window; other policies.
std::vector<Ceiling> all_ceilings();

// Writes FOLDER/results.jsonl as results come. The error is a sentence.
std::expected<std::vector<CeilingResult>, std::string> run_ceilings(
    const std::vector<Ceiling>& ceilings, const std::string& program, const std::string& folder,
    const std::function<void(const std::string&)>& say);

}  // namespace karst::lab
