#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace karst::lab {

// What one process held during the few seconds before a sample: its peaks of memory and
// descriptors, and the rest as its status said at the sample.
struct ProcessSample {
  std::uint64_t resident_bytes = 0;
  std::uint64_t descriptors = 0;
  std::uint64_t keys = 0;          // epochs prepared, offered and waiting, both directions
  std::uint64_t queued_bytes = 0;  // in streams, both directions
  std::uint64_t streams = 0;
  std::uint64_t deadline_expiries = 0;
  std::uint64_t attempts = 0;  // client: connections to the server dialled so far
  bool status_read = true;     // false: what is from the status is not known
};

struct SoakSample {
  Duration at{};  // since the load began
  ProcessSample client;
  ProcessSample server;
};

// How the load fared.
struct SoakLoad {
  using Quarters = std::array<std::uint64_t, 4>;
  std::uint64_t bytes = 0;
  std::uint64_t short_streams = 0;
  Quarters up_by_quarter{};  // bytes of the long transfers
  Quarters down_by_quarter{};
  Quarters short_streams_by_quarter{};
  std::string failure{};  // empty: every stream ended as planned and no byte was wrong
};

struct SoakRule {
  std::string what;      // "client memory"
  std::string wanted;    // "at most 31.2 MiB"
  std::string measured;  // "30.1 MiB"
  bool ok = false;
};

// Of memory (largest sample), in the last quarter over the second.
inline constexpr double kMemoryGrowth = 1.10;
inline constexpr std::uint64_t kMemoryAllowance = 1 << 20;
inline constexpr std::uint64_t kDescriptorAllowance = 2;
// Keys, queues and streams move with the load, so that not their largest sample counts but the
// middle one: what leaks raises it without end.
inline constexpr double kFlatGrowth = 1.25;
inline constexpr std::uint64_t kKeyAllowance = 8;
inline constexpr std::uint64_t kQueueAllowance = 4 << 20;
inline constexpr std::uint64_t kStreamAllowance = 2;
// Of what the long transfers carry each way, in the last quarter over the second.
inline constexpr double kCarriedLeast = 0.8;
// Of the samples, how many may lack a status.
inline constexpr double kUnreadMost = 0.01;
// Of each of the two quarters that are compared.
inline constexpr std::size_t kSamplesLeast = 3;

// The rules of a soak of so long. It passes if all are ok. The first quarter is warm-up.
std::vector<SoakRule> judge_soak(const std::vector<SoakSample>& samples, Duration length,
                                 const SoakLoad& load);

}  // namespace karst::lab
