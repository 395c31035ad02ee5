#include "stream/link.h"

#include <gtest/gtest.h>

#include "keys/ratchet_pair_for_test.h"

namespace karst::stream {
namespace {

using keys::RatchetPair;

constexpr TimePoint kNow{std::chrono::seconds(1000)};

keys::LinkSecrets secrets() {
  return {RatchetPair::root(0x11), RatchetPair::root(0x22), RatchetPair::psk(),
          RatchetPair::secret<keys::ResumeKey>(0x44)};
}

// A client's link whose peer never answers.
struct Alone {
  explicit Alone(std::uint16_t window)
      : link({mux::Role::client, RatchetPair::parameters(keys::kExtreme, window),
              keys::DepthMode::fixed, mux::Limits()},
             secrets(), budget, entropy, kNow) {
    link.send_first({});
    link.release();
  }
  // Lets `count` bytes wait to be sent and takes every record that comes.
  void send(std::size_t count) {
    const ByteVector bytes(count, 'd');
    for (std::size_t sent = 0; sent < count;) {
      const std::size_t taken = link.mux().send(stream, Bytes(bytes).subspan(sent));
      sent += taken;
      if (poll() == 0 && taken == 0) return;
    }
    poll();
  }
  std::size_t poll() {
    std::size_t all = 0;
    while (const std::size_t size = link.poll_record(space, kNow)) all += size;
    return all;
  }

  MemoryBudget budget{1u << 30};
  SeededEntropy entropy{1};
  Link link;
  mux::StreamId stream = link.mux().open({wire::Target{std::string("example.org"), 80}}).value();
  ByteVector space = ByteVector(record::kRecordBytesMax);
};

TEST(Link, a_link_with_nothing_to_send_does_not_count_as_blocked_by_the_ratchet) {
  Alone end(1);
  // Leaves less of the epoch than a full record takes.
  end.send(248'000);
  ASSERT_EQ(end.link.mux().blocked(), mux::Blocked::idle);
  ASSERT_FALSE(end.link.ratchet().send_epochs().can_seal(keys::RecordClass::counted,
                                                         wire::kPlaintextBytesMax, kNow));
  for (int turn = 0; turn < 10; ++turn) EXPECT_EQ(end.poll(), 0u);
  EXPECT_EQ(end.link.ratchet().blocked_time().waits().total(), 0u);
  EXPECT_EQ(end.link.blocked(), LinkBlocked::idle);
  end.send(1);
  EXPECT_EQ(end.link.blocked(), LinkBlocked::ratchet);
}

}  // namespace
}  // namespace karst::stream
