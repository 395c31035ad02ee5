#include "lab/probe_run.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "driver/ports.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
using platform::monotonic_now;
using platform::ProbeSocket;

constexpr std::size_t kIpUdpBytes = 28;
constexpr std::size_t kProbeBytes = 200;
constexpr Duration kFloodTime = 500ms;
constexpr Duration kPatience = 2s;  // beyond the link's own delay
constexpr double kFloodFactor = 1.1;
constexpr double kProbesPerSecondMax = 25'000;

std::uint64_t number_of(Bytes data) {
  std::uint64_t number = 0;
  if (data.size() >= sizeof number) std::memcpy(&number, data.data(), sizeof number);
  return number;
}

void set_number(MutableBytes data, std::uint64_t number) {
  std::memcpy(data.data(), &number, sizeof number);
}

// Calls `each` with every datagram that comes until none has come for so long.
template <class Each>
void receive_all(ProbeSocket& socket, Duration quiet, Each each) {
  for (;;) {
    const auto got = socket.receive(monotonic_now() + quiet);
    if (!got.ok()) return;
    for (std::size_t at = 0; at < got->data.size(); at += got->each) {
      each(got->data.subspan(at, std::min(got->each, got->data.size() - at)), got->at);
    }
  }
}

Duration delay_of(const DirectionSettings& settings) {
  Duration queue{};
  if (settings.rate != 0) {
    const auto bits = static_cast<double>(settings.queue_bytes) * 8;
    queue = Duration(static_cast<std::int64_t>(bits / static_cast<double>(settings.rate) * 1e9));
  }
  return settings.delay + settings.jitter + settings.reorder_by + queue;
}

}  // namespace

Result<std::vector<Duration>> measure_round_trips(const ProbePair& pair, const Endpoint& back,
                                                  std::size_t count) {
  std::vector<Duration> found;
  ByteVector probe(64);
  for (std::size_t i = 0; i < count; ++i) {
    set_number(probe, i);
    const TimePoint sent = monotonic_now();
    TRY(pair.sender.send(probe, probe.size(), pair.to));
    const auto there = pair.receiver.receive(sent + kPatience);
    if (!there.ok()) continue;
    TRY(pair.receiver.send(there->data, there->data.size(), back));
    const auto here = pair.sender.receive(sent + 2 * kPatience);
    if (here.ok() && number_of(here->data) == i) found.push_back(monotonic_now() - sent);
  }
  return found;
}

Result<Flood> measure_rate(const ProbePair& pair, const DirectionSettings& settings,
                           std::size_t payload_bytes) {
  const double bytes_per_second = static_cast<double>(settings.rate) * kFloodFactor / 8;
  const auto batch = std::clamp<std::size_t>(
      static_cast<std::size_t>(bytes_per_second * 0.0005) / payload_bytes, 1, 40);
  TimePoint first{};
  TimePoint last{};
  std::uint64_t bytes = 0;
  std::uint64_t first_bytes = 0;
  std::thread receiver([&] {
    receive_all(pair.receiver, delay_of(settings) + 300ms, [&](Bytes data, TimePoint at) {
      const std::size_t wire = data.size() + kIpUdpBytes;
      if (first == TimePoint{} || at == first) {
        first = at;
        first_bytes += wire;
      }
      bytes += wire;
      last = at;
    });
  });
  ByteVector data(batch * payload_bytes);
  const TimePoint start = monotonic_now();
  Result<void> sending;
  for (std::size_t sent = 0; monotonic_now() - start < kFloodTime && sending.has_value();
       sent += batch) {
    const double due = static_cast<double>(sent * (payload_bytes + kIpUdpBytes)) / bytes_per_second;
    platform::wait_until(start + Duration(static_cast<std::int64_t>(due * 1e9)));
    sending = pair.sender.send(data, payload_bytes, pair.to);
  }
  receiver.join();
  TRY(sending);
  const double time = std::chrono::duration<double>(last - first).count();
  if (time <= 0) return Flood{};
  return Flood{static_cast<double>(bytes - first_bytes) * 8 / time};
}

Result<Count> count_probes(const ProbePair& pair, const DirectionSettings& settings,
                           std::size_t most) {
  double per_second = kProbesPerSecondMax;
  if (settings.rate != 0) {
    const double half = static_cast<double>(settings.rate) / 2 / 8;
    per_second = std::min(per_second, half / double{kProbeBytes + kIpUdpBytes});
  }
  Count count;
  count.spacing = Duration(static_cast<std::int64_t>(1e9 / per_second));
  count.sent = std::clamp<std::size_t>(static_cast<std::size_t>(per_second * 2), 1, most);
  std::vector<bool> seen(count.sent);
  std::uint64_t highest = 0;
  std::thread receiver([&] {
    receive_all(pair.receiver, delay_of(settings) + 300ms, [&](Bytes data, TimePoint) {
      const std::uint64_t number = number_of(data);
      if (number >= seen.size()) return;
      if (seen[number]) {
        ++count.duplicated;
        return;
      }
      seen[number] = true;
      ++count.arrived;
      if (number < highest) ++count.late;
      highest = std::max(highest, number);
    });
  });
  ByteVector probe(kProbeBytes);
  const TimePoint start = monotonic_now();
  Result<void> sending;
  for (std::size_t i = 0; i < count.sent && sending.has_value(); ++i) {
    const double due = static_cast<double>(i) / per_second;
    platform::wait_until(start + Duration(static_cast<std::int64_t>(due * 1e9)));
    set_number(probe, i);
    sending = pair.sender.send(probe, probe.size(), pair.to);
  }
  receiver.join();
  TRY(sending);
  return count;
}

Result<bool> any_arrives(const ProbePair& pair, std::size_t payload_bytes) {
  ByteVector probe(payload_bytes);
  for (int i = 0; i < 10; ++i) {
    // A packet longer than the path is known to take is refused at once.
    if (const auto sent = pair.sender.send(probe, probe.size(), pair.to); !sent.ok()) continue;
  }
  bool arrives = false;
  receive_all(pair.receiver, kPatience / 2,
              [&](Bytes data, TimePoint) { arrives = arrives || data.size() == payload_bytes; });
  return arrives;
}

}  // namespace karst::lab
