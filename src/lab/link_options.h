#pragma once

#include <expected>
#include <string>
#include <vector>

#include "lab/link/link_settings.h"

namespace karst::lab {

// A link as a person writes it: "210" ms of RTT, "1000" Mbit/s, "0.1" %. Values with two parts,
// "1000:20", are for forward and back; one part is for both.
struct LinkOptions {
  std::string rtt = "60";    // ms, half of it each way
  std::string rate = "100";  // Mbit/s; 0: no limit
  std::string queue{};       // "200ms", "500KB" or "2MB"; default: what the rate carries in one RTT
  std::string loss = "0";    // %
  std::string bursts{};      // "AVERAGE,LENGTH": % lost in bursts of on average LENGTH segments
  std::string jitter = "0";  // ms
  std::string reorder{};     // "PERCENT,MS"
  std::string duplicate = "0";  // %
  std::string mtu{};
  bool black_hole = false;
  bool block_udp = false;
  bool codel = false;
  std::vector<std::string> outages{};  // "AT:LENGTH" in seconds
  std::vector<std::string> rebinds{};  // "AT" in seconds
  std::uint64_t seed = 1;
};

// The settings, or what is wrong with which option, as a sentence.
std::expected<LinkSettings, std::string> parse_link(const LinkOptions& options);

// "210 ms, 1000 Mbit/s, loss 1 %", for headings.
std::string describe_link(const LinkOptions& options);

}  // namespace karst::lab
