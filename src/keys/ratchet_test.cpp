#include "keys/ratchet.h"

#include <gtest/gtest.h>

#include "keys/ratchet_pair_for_test.h"

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

TEST(LinkRatchet, both_ends_stay_on_the_same_keys_over_many_epochs) {
  TimePoint now{1000s};
  RatchetPair pair(RatchetPair::parameters(), DepthMode::automatic, now);
  ASSERT_TRUE(pair.client.can_seal_counted(1000, now));
  std::array<std::uint8_t, 1000> text{};
  std::array<std::uint8_t, 16> tag{};
  int epochs = 0;
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(pair.client.can_seal_counted(1000, now));
    auto slot = pair.client.send_epochs().begin_record(RecordClass::counted, 1000, now);
    pair.client.send_epochs().seal({}, text, tag);
    ASSERT_TRUE(
        pair.server.stream_receive().open(slot.epoch, slot.sequence, {}, text, tag, now).ok());
    ASSERT_TRUE(pair.server.stream_receive().count(RecordClass::counted, 1000, now).ok());
    while (true) {
      auto m = pair.client.next_control(now);
      ASSERT_TRUE(m.ok());
      if (!m->has_value()) break;
      ASSERT_TRUE(pair.server.handle_offer((*m)->body, now).ok());
      auto a = pair.server.next_control(now);
      ASSERT_TRUE(a.ok() && a->has_value());
      ASSERT_TRUE(pair.client.handle_ack((*a)->body, now).ok());
      ++epochs;
    }
  }
  EXPECT_GT(epochs, 15);
}

}  // namespace
}  // namespace karst::keys
