#pragma once

#include <vector>

#include "base/result.h"
#include "lab/link/link_settings.h"
#include "platform/linux/probe_socket.h"

// Measurements with UDP between two sockets of one process.
namespace karst::lab {

struct ProbePair {
  platform::ProbeSocket& sender;
  platform::ProbeSocket& receiver;
  Endpoint to;  // the receiver's
};

// `count` probes that the receiver sends back at once. Those that were lost are left out.
Result<std::vector<Duration>> measure_round_trips(const ProbePair& pair, const Endpoint& back,
                                                  std::size_t count);

struct Flood {
  double bits_per_second = 0;  // of IP packets, from the first to the last that came
};
// Sends somewhat faster than the link's rate for half a second.
Result<Flood> measure_rate(const ProbePair& pair, const DirectionSettings& settings,
                           std::size_t payload_bytes);

struct Count {
  Duration spacing{};  // from one probe to the next
  std::size_t sent = 0;
  std::size_t arrived = 0;     // different ones
  std::size_t duplicated = 0;  // came once more
  std::size_t late = 0;        // came after one that was sent later
};
// Numbered probes well under the link's rate, one segment each: at most `most`, for two seconds at
// most.
Result<Count> count_probes(const ProbePair& pair, const DirectionSettings& settings,
                           std::size_t most);

// Whether one of a few probes with so much payload gets there within two seconds of the last.
Result<bool> any_arrives(const ProbePair& pair, std::size_t payload_bytes);

}  // namespace karst::lab
