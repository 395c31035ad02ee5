#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/prng.h"
#include "base/time.h"
#include "keys/ratchet.h"
#include "sim/virtual_clock.h"
#include "stream/record/record_opener.h"
#include "stream/record/record_sealer.h"

// Two ends of a stream link over a path with delay, rate and repaired losses, in virtual time: the
// real ratchet and the real records, a model of everything below them.

namespace karst::sim {

struct PathConfig {
  Duration round_trip = std::chrono::milliseconds(60);
  std::uint64_t bits_per_second = 0;  // 0: no limit
  // The congestion window begins at 14,480 bytes and doubles each round trip up to this; 0: no
  // window at all.
  std::uint64_t window_bytes_max = 0;
  // A record is repaired with this probability in 1,000: it, and all behind it, wait for one more
  // round trip.
  std::uint32_t repaired_per_mille = 0;
};

class StreamEnd;

// One direction: delivers in order.
class StreamPipe {
 public:
  StreamPipe(VirtualClock& clock, const PathConfig& config, std::uint64_t seed)
      : clock_(clock), config_(config), random_(seed) {}
  void connect(StreamEnd& from, StreamEnd& to) {
    from_ = &from;
    to_ = &to;
  }
  bool has_room() const { return config_.window_bytes_max == 0 || in_flight_ < window_; }
  void send(ByteVector record, keys::RecordClass kind);

  // Called with every record that is sent, as a checker beside the path sees it.
  std::function<void(Bytes record, keys::RecordClass kind)> tap = [](Bytes, keys::RecordClass) {};

 private:
  VirtualClock& clock_;
  const PathConfig config_;
  Prng random_;
  StreamEnd* from_ = nullptr;
  StreamEnd* to_ = nullptr;
  std::uint64_t window_ = 14'480;
  std::uint64_t in_flight_ = 0;
  TimePoint sent_until_{};     // the wire is busy until then
  TimePoint arrived_until_{};  // nothing may arrive before what was sent before it
};

// One end of the link, with an application that has `pending` bytes to send.
class StreamEnd {
 public:
  StreamEnd(VirtualClock& clock, keys::LinkRatchet& ratchet, StreamPipe& out);

  // Seals and sends while there is something and room for it.
  void pump();
  // A record has arrived.
  void receive(ByteVector record);
  // Arms the ratchet's deadline.
  void arm();

  static constexpr std::uint64_t kEndless = ~0ull;
  std::uint64_t pending = 0;          // plaintext bytes still to be sent, frame headers too
  std::size_t record_bytes = 16'335;  // of a full record
  std::uint64_t received = 0;         // plaintext bytes of counted records
  std::optional<Error> failed;
  // Called after every record that was opened.
  std::function<void()> on_open = [] {};
  keys::LinkRatchet& ratchet() { return ratchet_; }

 private:
  void send_control(const keys::ControlMessage& message);
  void send_data(std::size_t size);
  Result<void> handle(ByteVector& record);

  VirtualClock& clock_;
  keys::LinkRatchet& ratchet_;
  StreamPipe& out_;
  stream::record::RecordSealer sealer_;
  stream::record::RecordOpener opener_;
  std::optional<TimePoint> armed_;
};

}  // namespace karst::sim
