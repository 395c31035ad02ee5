// Two multiplexers joined by a wire, driven by a list of operations, against a model that knows
// only what was sent: on every stream the bytes come out as they went in, in order, with the end
// last; neither side ever finds a fault in the other; bounds hold; and whatever happened before,
// in the end everything that was not reset has arrived, every stream is closed and all memory is
// given back.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/check.h"
#include "base/reader.h"
#include "stream/mux/mux.h"
#include "wire/frame.h"

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kStreamsMax = 8;
// Small enough to be reached: the initial windows plus what the streams may have privately.
constexpr Limits kLimits{.streams = kStreamsMax, .stream_window = 2 << 20, .link_window = 5 << 20};

std::uint8_t pattern(std::uint32_t stream, std::uint64_t offset) {
  return static_cast<std::uint8_t>(stream * 31 + offset * 7 + offset / 251);
}

// One direction of one stream as its user sees it.
struct Direction {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  bool finished = false;  // the sender said so
  bool end_seen = false;  // the receiver was told
  bool writable = true;   // since the last short send a Writable has come
  bool readable = false;  // a Readable has come and not everything was read since
};

struct Model {
  Direction up;  // client to server
  Direction down;
  bool udp = false;
  bool reset = false;  // by anybody, or refused: nothing is promised any more
  bool accepted = false;
};

class Machine {
 public:
  explicit Machine(Bytes input) : input_(input) {}

  void run() {
    while (input_.remaining() > 0) step();
    wind_up();
  }

 private:
  Mux& side(bool server) { return server ? server_ : client_; }
  Direction& sending(Model& model, bool server) { return server ? model.down : model.up; }
  Direction& receiving(Model& model, bool server) { return server ? model.up : model.down; }

  void step() {
    const std::uint8_t code = input_.u8();
    const bool server = code & 0x80;
    switch (code & 0x0f) {
      case 0:
        open();
        break;
      case 1:
        answer(input_.u8());
        break;
      case 2:
      case 3:
        send(pick(), server, input_.u16());
        break;
      case 4:
        finish(pick(), server);
        break;
      case 5:
        reset(pick(), server);
        break;
      case 6:
        read(pick(), server, input_.u24());
        break;
      case 7:
      case 8:
        move(server, Allowed::everything, input_.u16());
        break;
      case 9:
        move(server, Allowed::uncounted, 0xffff);
        break;
      case 10:
        now_ += std::chrono::microseconds(input_.u16());
        break;
      case 11:
        side(server).ping();
        break;
      case 12:
        packet(server, input_.u16());
        break;
      case 13:
        datagram(pick(), server, input_.u16());
        break;
      case 14:
        side(server).set_rtt(std::chrono::microseconds(input_.u24()));
        break;
      default:
        settle();
    }
    check_bounds();
  }

  std::uint32_t pick() { return opened_ == 0 ? 1 : 1 + input_.u8() % opened_; }

  void open() {
    const bool udp = input_.u8() % 4 == 0;
    wire::Open open;
    if (!udp) open.target = wire::Target{"x", 1};
    const auto stream = client_.open(open);
    if (!stream.ok()) return;
    CHECK(*stream == StreamId{++opened_});
    models_[opened_].udp = udp;
  }

  // Only what the server has been told of can be answered.
  void answer(std::uint8_t how) {
    if (to_answer_.empty()) return;
    const std::uint32_t stream = to_answer_.front();
    to_answer_.erase(to_answer_.begin());
    Model& model = models_[stream];
    if (how % 4 == 0) {
      server_.refuse(StreamId{stream}, wire::OpenCode::refused);
      model.reset = true;
    } else {
      server_.accept(StreamId{stream}, std::nullopt);
      model.accepted = true;
    }
  }

  void send(std::uint32_t stream, bool server, std::size_t count) {
    Model& model = models_[stream];
    Direction& out = sending(model, server);
    if (opened_ == 0 || model.udp || !out.writable) return;
    const MutableBytes space = side(server).prepare_send(StreamId{stream});
    count = std::min(count, space.size());
    for (std::size_t i = 0; i < count; ++i) space[i] = pattern(stream, out.sent + i);
    side(server).commit_send(StreamId{stream}, count);
    out.sent += count;
    if (space.empty() && !out.finished && (!server || model.accepted)) out.writable = false;
  }

  void finish(std::uint32_t stream, bool server) {
    Model& model = models_[stream];
    if (opened_ == 0 || (server && !model.accepted)) return;
    side(server).finish(StreamId{stream});
    sending(model, server).finished = true;
  }

  void reset(std::uint32_t stream, bool server) {
    if (opened_ == 0) return;
    side(server).reset(StreamId{stream}, wire::ResetReason::cancelled);
    models_[stream].reset = true;
    std::erase(to_answer_, server ? stream : 0);
  }

  void read(std::uint32_t stream, bool server, std::size_t most) {
    if (opened_ == 0) return;
    Mux& mux = side(server);
    Direction& in = receiving(models_[stream], server);
    if (!in.readable) return;
    std::array<Bytes, 3> runs;
    const std::size_t filled = mux.received(StreamId{stream}, runs);
    std::size_t taken = 0;
    for (std::size_t i = 0; i < filled; ++i) {
      for (const std::uint8_t byte : runs[i]) {
        if (taken == most) break;
        CHECK(byte == pattern(stream, in.received + taken));
        ++taken;
      }
    }
    mux.consume_received(StreamId{stream}, taken, now_);
    in.received += taken;
    CHECK(models_[stream].reset || in.received <= sending(models_[stream], !server).sent);
    if (mux.received_bytes(StreamId{stream}) > 0) return;
    in.readable = false;
    if (mux.at_end(StreamId{stream})) end(stream, server);
  }

  void end(std::uint32_t stream, bool server) {
    Model& model = models_[stream];
    CHECK(receiving(model, server).received == sending(model, !server).sent);
    CHECK(sending(model, !server).finished);
    receiving(model, server).end_seen = true;
  }

  bool move(bool server, Allowed allowed, std::size_t space_bytes) {
    const MutableBytes space = MutableBytes(space_).first(
        std::clamp<std::size_t>(space_bytes, 512, wire::kPlaintextBytesMax));
    const auto record = side(server).poll_record(space, allowed, now_);
    if (!record) return false;
    CHECK(record->size > 0 && record->size <= space.size());
    const auto kind = wire::classify_record(space.first(record->size));
    CHECK(kind.ok() && *kind == record->kind);
    CHECK(allowed == Allowed::everything || *kind == wire::RecordKind::uncounted);
    const auto handled = side(!server).handle_record(space.first(record->size), now_);
    CHECK(handled.ok());
    take_events(server);
    take_events(!server);
    return true;
  }

  void take_events(bool server) {
    while (const auto event = side(server).poll_event()) {
      std::visit([&](const auto& kind) { take(kind, server); }, *event);
    }
  }
  static std::uint32_t number(StreamId stream) { return static_cast<std::uint32_t>(stream); }
  void take(const Opened& opened, bool server) {
    CHECK(server);
    to_answer_.push_back(number(opened.stream));
  }
  void take(const Answered& answered, bool) {
    CHECK(models_[number(answered.stream)].accepted || answered.result.code != wire::OpenCode::ok);
  }
  void take(const Readable& event, bool server) {
    Model& model = models_[number(event.stream)];
    if (model.udp) {
      while (side(server).receive_datagram(event.stream, space_)) {
      }
    } else {
      receiving(model, server).readable = true;
    }
  }
  void take(const Writable& event, bool server) {
    sending(models_[number(event.stream)], server).writable = true;
  }
  void take(const Finished& event, bool server) {
    if (event.at_end) end(number(event.stream), server);
  }
  void take(const Ended& event, bool) {
    CHECK(models_[number(event.stream)].reset);
    std::erase(to_answer_, number(event.stream));
  }
  void take(const PacketsReady&, bool server) {
    while (side(server).receive_packet(space_)) {
    }
  }
  void take(const PongReceived&, bool) {}
  void take(const GoingAway&, bool) { CHECK(false); }
  void take(const Reported&, bool) { CHECK(false); }

  void packet(bool server, std::size_t size) {
    const Bytes bytes = Bytes(space_).first(1 + size % (wire::kPlaintextBytesMax - 1));
    CHECK(side(server).send_packet(bytes, now_).ok() ==
          (bytes.size() <= wire::kFramePayloadBytesMax));
  }

  void datagram(std::uint32_t stream, bool server, std::size_t size) {
    const Model& model = models_[stream];
    if (opened_ == 0 || !model.udp) return;
    const Bytes bytes = Bytes(space_).first(size % 2'000);
    CHECK(side(server).send_datagram(StreamId{stream}, {wire::Target{"p", 9}, bytes}, now_).ok());
  }

  void settle() {
    while (move(false, Allowed::everything, 0xffff) || move(true, Allowed::everything, 0xffff)) {
    }
  }

  void check_bounds() {
    for (Mux* mux : {&client_, &server_}) {
      const LinkStatus status = mux->status();
      CHECK(status.streams <= kStreamsMax);
      CHECK(status.send_queued_bytes <= kStreamsMax * kSendQueueBytes);
      CHECK(status.receive_queued_bytes <=
            kLimits.link_window + kStreamsMax * wire::kStreamPrivateBytes);
    }
  }

  void wind_up() {
    settle();
    while (!to_answer_.empty()) answer(1);
    for (std::uint32_t stream = 1; stream <= opened_; ++stream) {
      finish(stream, false);
      finish(stream, true);
    }
    bool moved = true;
    while (moved) {
      settle();
      moved = false;
      for (std::uint32_t stream = 1; stream <= opened_; ++stream) {
        for (const bool server : {false, true}) {
          const Direction& in = receiving(models_[stream], server);
          const std::uint64_t before = in.received;
          read(stream, server, SIZE_MAX);
          moved = moved || in.received != before;
        }
      }
    }
    for (const auto& [stream, model] : models_) {
      if (model.reset || stream == 0 || stream > opened_) continue;
      CHECK(model.up.received == model.up.sent && model.up.end_seen);
      CHECK(model.down.received == model.down.sent && model.down.end_seen);
    }
    CHECK(client_.status().streams == 0 && server_.status().streams == 0);
    CHECK(client_.blocked() == Blocked::idle && server_.blocked() == Blocked::idle);
    CHECK(budget_.used() == 0);
  }

  Reader input_;
  MemoryBudget budget_{1ull << 30};
  TimePoint now_{1000s};
  Mux client_{Role::client, kLimits, budget_, now_};
  Mux server_{Role::server, kLimits, budget_, now_};
  std::map<std::uint32_t, Model> models_;
  std::uint32_t opened_ = 0;
  std::vector<std::uint32_t> to_answer_;
  std::array<std::uint8_t, wire::kPlaintextBytesMax> space_{};
};

}  // namespace
}  // namespace karst::stream::mux

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::stream::mux::Machine({data, size}).run();
  return 0;
}
