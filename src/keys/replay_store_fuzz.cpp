#include <map>

#include "base/check.h"
#include "base/prng.h"
#include "base/reader.h"
#include "keys/replay_store.h"

// The input is a list of operations, with a disk that fails at will and loses the process now and
// then. A model says what must hold: an id whose grant was given is never fresh again within three
// hours, whatever happens to the process and the machine.
namespace {

using namespace karst;
using namespace karst::keys;

struct Fuzz {
  explicit Fuzz(Bytes input) : in(input) { restart(); }

  void restart() {
    store.emplace(boot, entropy);
    tickets.clear();
    const auto report = store->load(disk, now);
    CHECK(report.ok() && report->damaged == 0);
  }
  void insert() {
    const ReplayId id = {in.u8()};
    const Endpoint source{IpAddress(), static_cast<std::uint16_t>(in.u8() % 2 + 1)};
    const ReplayVerdict verdict = store->judge(id, source, now);
    const auto granted = granted_at.find(id);
    if (granted != granted_at.end() && granted->second + kReplayLife > now) {
      CHECK(verdict != ReplayVerdict::fresh);
    }
    if (verdict != ReplayVerdict::fresh) return;
    auto grant = limiter.admit(IpAddress(), now);
    if (!grant) return;
    if (const auto ticket = store->insert(*grant, id, source, now)) tickets[*ticket] = {id, now};
  }
  void write() {
    const auto wanted = store->poll_write(now);
    if (!wanted) return;
    CHECK(!store->poll_write(now));
    const bool durable = in.u8() % 4 != 0;
    if (durable) {
      if (wanted->kind == ReplayWrite::Kind::replace) disk.clear();
      disk.insert(disk.end(), wanted->bytes.begin(), wanted->bytes.end());
    }
    store->written(durable ? WriteOutcome::durable : WriteOutcome::failed, now);
    while (const auto outcome = store->poll_outcome()) {
      CHECK(outcome->result.ok() == durable);
      const auto [id, inserted] = tickets.extract(outcome->ticket).mapped();
      if (durable) granted_at[id] = inserted;
    }
  }
  void step() {
    switch (in.u8() % 7) {
      case 0:
      case 1:
        return insert();
      case 2:
        return write();
      case 3:
        now += std::chrono::seconds(in.u8());
        return;
      case 4:
        now += std::chrono::hours(in.u8() % 4);
        return;
      case 5:
        return restart();
      default:  // A reboot: the clock starts again, and the model's times move with it.
        const TimePoint fresh(std::chrono::seconds(in.u8()));
        for (auto& [id, at] : granted_at) at = fresh - (now - at);
        now = fresh;
        ++boot[0];
        limiter = HandshakeLimiter(kHandshakesPerSecondMax);
        return restart();
    }
  }

  Reader in;
  SeededEntropy entropy{1};
  BootId boot{};
  TimePoint now{std::chrono::hours(2)};
  HandshakeLimiter limiter{kHandshakesPerSecondMax};
  ByteVector disk;
  std::optional<ReplayStore> store;
  std::map<ReplayTicket, std::pair<ReplayId, TimePoint>> tickets;  // and when it was inserted
  std::map<ReplayId, TimePoint> granted_at;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fuzz fuzz({data, size});
  while (fuzz.in.remaining() > 0) fuzz.step();
  return 0;
}
