#include <gtest/gtest.h>

#include "keys/ratchet_pair_for_test.h"

namespace karst::keys {
namespace {

constexpr TimePoint kNow{std::chrono::seconds(1000)};

TEST(RatchetExposure, a_seizure_exposes_both_current_epochs_and_those_prepared_by_the_peer) {
  RatchetPair pair(RatchetPair::parameters(kExtreme, 2), DepthMode::fixed, kNow);
  EXPECT_EQ(pair.client.counters(kNow).exposed_bytes, 2 * kExtreme.bytes);
  pair.server.send_epochs().begin_record(RecordClass::counted, 1, kNow);
  const auto offer = pair.server.next_control(kNow);
  ASSERT_TRUE(offer.ok() && offer->has_value());
  ASSERT_TRUE(pair.client.handle_offer((*offer)->body, kNow).ok());
  ASSERT_TRUE(pair.client.next_control(kNow)->has_value()) << "the ACK";
  EXPECT_EQ(pair.client.counters(kNow).exposed_bytes, 3 * kExtreme.bytes);
}

}  // namespace
}  // namespace karst::keys
