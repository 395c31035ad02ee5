#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"
#include "base/result.h"
#include "base/time.h"
#include "lab/tunnel.h"
#include "platform/linux/blocking_tcp.h"
#include "platform/linux/net_namespace.h"

namespace karst::lab {

inline constexpr ErrorKind kSocksRefused{
    "lab", "socks-refused", "the tunnel's proxy did not connect; detail = its reply code"};
inline constexpr ErrorKind kWrongBytes{"lab", "wrong-bytes", "bytes arrived that were never sent"};
inline constexpr ErrorKind kEndedEarly{"lab", "ended-early",
                                       "a stream ended as if all had been sent, which was not so"};
inline constexpr ErrorKind kStalled{"lab", "stalled",
                                    "nothing of a stream arrived in the second half"};

enum class Traffic : std::uint8_t { up, down, both };

// What a stream that ends before its time means.
enum class EarlyEnd : std::uint8_t {
  fails_the_load,
  dial_again,  // it is noted, and the near side makes a new connection in its place
};

// Bulk transfers between two namespaces: from near to far (up), back (down), or both at once.
struct LoadPlan {
  // Null: the namespace that we are in.
  const platform::NetNamespace* near = nullptr;
  const platform::NetNamespace* far = nullptr;
  Route route;
  Traffic traffic = Traffic::down;
  unsigned streams = 1;  // in each direction
  Duration length{};     // of sending
  EarlyEnd early_end = EarlyEnd::fails_the_load;
  // Set by anyone, it ends the load soon; what came until then is the result.
  const std::atomic<bool>* stop = nullptr;
};

// What the receiver of one stream saw. Times are from the start of the load.
struct StreamResult {
  bool up = false;
  std::uint64_t bytes = 0;
  Duration first_byte{};
  // The longest time without a byte, from the first byte to the end of the load; of a stream that
  // never got one, all of it.
  Duration silence_max{};
  std::vector<std::uint64_t> bytes_per_tenth;  // in each tenth of a second
  // How it ended before its time: with an error, or as if the sender had sent all.
  enum class End : std::uint8_t { lasted, error, orderly };
  End end = End::lasted;
};

// What the kernel says about a sender's own TCP connection, at the end.
struct SenderTcp {
  bool up = false;
  std::string congestion_control;
  std::uint64_t retransmitted_segments = 0;
  Duration rtt{};
  platform::BlockingTcp::Buffers buffers;
};

struct LoadResult {
  std::vector<StreamResult> streams;
  std::vector<SenderTcp> senders;
  Duration length{};

  // Bits per second of all streams of one direction that arrived in [from, to).
  double rate(bool up, Duration from, Duration to) const;
};

// What is wrong with streams of a load of `length` that should have lasted: kEndedEarly, kStalled.
Result<void> judge_streams(const std::vector<StreamResult>& streams, Duration length);

// Runs for plan.length and a little. Every byte that arrives is compared with what was sent;
// a difference is the error kWrongBytes. Where early ends fail the load, so do streams that end as
// if complete (kEndedEarly) or do not move (kStalled). Threads: one for each end of each stream.
Result<LoadResult> run_load(const LoadPlan& plan);

}  // namespace karst::lab
