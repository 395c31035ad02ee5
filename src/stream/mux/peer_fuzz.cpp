// A peer that sends whatever it likes: records cut out of the input, to a client and to a server
// whose users answer, read, write and end streams. Nothing is promised but that the multiplexer
// stays within its bounds, says at most a GOAWAY after it has failed, and gives all memory back.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/reader.h"
#include "stream/mux/mux.h"

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

constexpr Limits kLimits{.streams = 6};

class Target {
 public:
  explicit Target(Role role) : role_(role), mux_(role, kLimits, budget_, now_) {
    for (int i = 0; role == Role::client && i < 3; ++i) open(i == 2);
  }

  void handle(Bytes record) {
    now_ += 1ms;
    const auto handled = mux_.handle_record(record, now_);
    CHECK(!failed_ || !handled.ok());
    failed_ = !handled.ok();
    while (const auto event = mux_.poll_event()) {
      if (const auto* opened = std::get_if<Opened>(&*event)) streams_.push_back(opened->stream);
    }
    use(record.empty() ? 0 : record.back());
    const LinkStatus status = mux_.status();
    CHECK(status.streams <= kLimits.streams);
    CHECK(status.receive_queued_bytes <= wire::kLinkWindowInitial * 64);
    if (failed_) CHECK(status.streams == 0 && budget_.used() == 0);
    drain();
  }

 private:
  void open(bool udp) {
    wire::Open open;
    if (!udp) open.target = wire::Target{"x", 1};
    if (const auto stream = mux_.open(open); stream.ok()) streams_.push_back(*stream);
  }

  // The users of the streams, after a rule that the peer can steer.
  void use(std::uint8_t choice) {
    for (const StreamId stream : streams_) {
      choice = static_cast<std::uint8_t>(choice * 5 + 3);
      mux_.send(stream, Bytes(space_).first(choice));
      if (choice % 2 == 0) mux_.consume_received(stream, mux_.received_bytes(stream), now_);
      if (choice % 16 == 1) mux_.finish(stream);
      if (choice % 16 == 2) mux_.reset(stream, wire::ResetReason::cancelled);
      while (mux_.receive_datagram(stream, space_)) {
      }
    }
    while (mux_.receive_packet(space_)) {
    }
    if (role_ == Role::client || next_ == streams_.size()) return;
    const StreamId stream = streams_[next_++];
    if (choice % 3 == 0) {
      mux_.refuse(stream, wire::OpenCode::refused);
    } else {
      mux_.accept(stream, std::nullopt);
    }
  }

  void drain() {
    int records = 0;
    while (const auto record = mux_.poll_record(space_, Allowed::everything, now_)) {
      CHECK(wire::classify_record(Bytes(space_).first(record->size)).ok());
      CHECK(!failed_ || ++records == 1);
    }
    if (failed_) CHECK(std::exchange(said_last_, true) ? records == 0 : records <= 1);
  }

  const Role role_;
  MemoryBudget budget_{1ull << 30};
  TimePoint now_{1000s};
  Mux mux_;
  std::vector<StreamId> streams_;
  std::size_t next_ = 0;  // of streams_ to be answered
  bool failed_ = false;
  bool said_last_ = false;
  std::array<std::uint8_t, wire::kPlaintextBytesMax> space_{};
};

}  // namespace
}  // namespace karst::stream::mux

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using karst::stream::mux::Role;
  karst::Reader input({data, size});
  karst::stream::mux::Target target(input.u8() % 2 == 0 ? Role::client : Role::server);
  while (input.remaining() > 0) {
    const std::size_t length = input.u16();
    target.handle(input.bytes(std::min(length, input.remaining())));
  }
  return 0;
}
