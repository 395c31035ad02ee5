#include <array>
#include <deque>

#include "base/check.h"
#include "base/reader.h"
#include "keys/ratchet_pair_for_test.h"

// The input is a list of operations on both ends of a link: records, exchanges and time in any
// order. As long as no message is altered nothing fails but a deadline; whatever is altered, no
// end crashes, and what it holds stays inside the window.

namespace karst::keys {
namespace {

constexpr std::uint16_t kWindow = 3;

struct Carried {
  bool control = false;
  SealSlot slot;
  RecordClass kind = RecordClass::counted;
  ByteVector text;
  std::array<std::uint8_t, 16> tag{};
};

struct End {
  LinkRatchet& ratchet;
  std::deque<Carried> arriving;
  bool failed = false;
};

class Machine {
 public:
  void run(Reader input) {
    while (input.remaining() >= 2) {
      const std::uint8_t operation = input.u8(), argument = input.u8();
      End& one = operation & 0x80 ? server_ : client_;
      step(operation & 0x0f, argument, one, &one == &client_ ? server_ : client_);
      check(client_);
      check(server_);
    }
  }

 private:
  void step(int operation, std::uint8_t argument, End& end, End& other) {
    if (end.failed) return;
    switch (operation) {
      case 0:
        if (end.ratchet.can_seal_counted(argument * 256u, now_)) {
          seal(end, other, RecordClass::counted, ByteVector(argument * 256u), false);
        }
        break;
      case 1:
        if (end.ratchet.can_seal_uncounted(now_)) {
          seal(end, other, RecordClass::uncounted, ByteVector(argument), false);
        }
        break;
      case 2: {
        const bool due = end.ratchet.has_control(now_);
        const auto control = end.ratchet.next_control(now_);
        if (!judge(end, control)) return;
        CHECK(control->has_value() == due);
        if (*control) {
          ByteVector text(1 + (*control)->body.size());
          text[0] = (*control)->kind == ControlMessage::Kind::offer;
          copy_bytes(MutableBytes(text).subspan(1), (*control)->body);
          seal(end, other, RecordClass::uncounted, std::move(text), true);
        }
        break;
      }
      case 3:
        if (!end.arriving.empty()) deliver(end);
        break;
      case 4:
        now_ += std::chrono::milliseconds(argument);
        break;
      case 5:
        now_ += std::chrono::seconds(argument);
        break;
      case 6:
        judge(end, end.ratchet.handle_deadline(now_));
        break;
      case 7:  // a hostile peer: alters a control message that is under way
        if (!end.arriving.empty() && end.arriving.front().control) {
          altered_ = true;
          alter(end, argument);
        }
        break;
    }
  }

  void seal(End& from, End& to, RecordClass kind, ByteVector text, bool control) {
    Carried record{control, from.ratchet.send_epochs().begin_record(kind, text.size(), now_), kind,
                   std::move(text)};
    from.ratchet.send_epochs().seal({}, record.text, record.tag);
    to.arriving.push_back(std::move(record));
  }

  // Opens the record and hands over an altered body, as a peer that holds the keys could send.
  void alter(End& end, std::uint8_t argument) {
    Carried record = std::move(end.arriving.front());
    end.arriving.pop_front();
    if (!open(end, record)) return;
    Bytes body = Bytes(record.text).subspan(1);
    if (argument == 0) body = body.first(body.size() - 1);
    record.text[1 + argument % 16] ^= argument;
    take(end, record.text[0] != 0, body);
  }

  void deliver(End& end) {
    Carried record = std::move(end.arriving.front());
    end.arriving.pop_front();
    if (open(end, record) && record.control) {
      take(end, record.text[0] != 0, Bytes(record.text).subspan(1));
    }
  }

  bool open(End& end, Carried& record) {
    StreamReceiveEpochs& receive = end.ratchet.stream_receive();
    const auto opened =
        receive.open(record.slot.epoch, record.slot.sequence, {}, record.text, record.tag, now_);
    if (!opened.ok()) return judge(end, opened);
    return judge(end, receive.count(record.kind, record.text.size(), now_));
  }

  void take(End& end, bool offer, Bytes body) {
    judge(end, offer ? end.ratchet.handle_offer(body, now_) : end.ratchet.handle_ack(body, now_));
  }

  template <class T>
  bool judge(End& end, const Result<T>& result) {
    if (result.ok()) return true;
    end.failed = true;
    CHECK(altered_ || result.error().is(kAckDeadline) || result.error().is(kEpochExpired) ||
          result.error().is(kNoEpochLeft));
    return false;
  }

  void check(End& end) {
    const RatchetCounters counters = end.ratchet.counters(now_);
    CHECK(counters.depth_offered + counters.depth_prepared <= kWindow);
    CHECK(counters.receive_prepared + counters.offers_waiting <= kWindow);
    CHECK(counters.depth_target >= 1 && counters.depth_target <= kWindow);
  }

  TimePoint now_{std::chrono::seconds(1000)};
  RatchetPair pair_{RatchetPair::parameters(kExtreme, kWindow), DepthMode::automatic, now_};
  End client_{pair_.client, {}};
  End server_{pair_.server, {}};
  bool altered_ = false;
};

}  // namespace
}  // namespace karst::keys

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::keys::Machine().run(karst::Reader({data, std::min<std::size_t>(size, 2048)}));
  return 0;
}
