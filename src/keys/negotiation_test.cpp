#include "keys/negotiation.h"

#include <gtest/gtest.h>

namespace karst::keys {
namespace {

LocalAdvert local() {
  return {.rekey_window = 64, .policy = kBrisk, .policy_floor = kExtreme, .capabilities = {}};
}
PeerAdvert peer(const EpochPolicy& policy = kBrisk) {
  return {.rekey_window = 64, .policy = to_wire(policy), .capabilities = {}};
}
const ErrorKind* error_of(Carrier carrier, const LocalAdvert& ours, const PeerAdvert& theirs) {
  const auto result = negotiate(carrier, ours, theirs);
  return result ? nullptr : &result.error().kind();
}

TEST(Negotiation, takes_the_smaller_of_each_component) {
  PeerAdvert theirs = peer({kBrisk.bytes * 2, kBrisk.frames - 1, kBrisk.active_ms + 1});
  theirs.rekey_window = 65;
  const auto agreed = negotiate(Carrier::stream, local(), theirs);
  ASSERT_TRUE(agreed.ok());
  EXPECT_EQ(agreed->policy, (EpochPolicy{kBrisk.bytes, kBrisk.frames - 1, kBrisk.active_ms}));
  EXPECT_EQ(agreed->rekey_window, 64);
}

TEST(Negotiation, windows_end_at_1_and_512) {
  for (const int window : {0, 1, 511, 512, 513, 65'535}) {
    PeerAdvert theirs = peer();
    theirs.rekey_window = static_cast<std::uint16_t>(window);
    EXPECT_EQ(error_of(Carrier::stream, local(), theirs),
              window >= 1 && window <= 512 ? nullptr : &kWindowOutOfRange)
        << window;
  }
}

TEST(Negotiation, a_policy_out_of_range_is_refused_and_never_clamped) {
  const EpochPolicy widest{1ull << 40, 1ull << 30, 86'400'000};
  struct Case {
    EpochPolicy policy;
    Carrier carrier;
    const ErrorKind* error;
  };
  const Case cases[] = {
      {widest, Carrier::stream, nullptr},
      {widest, Carrier::datagram, &kPolicyOutOfRange},
      {{widest.bytes, 1ull << 23, widest.active_ms}, Carrier::datagram, nullptr},
      {{widest.bytes, (1ull << 23) + 1, widest.active_ms}, Carrier::datagram, &kPolicyOutOfRange},
      {{widest.bytes + 1, widest.frames, widest.active_ms}, Carrier::stream, &kPolicyOutOfRange},
      {{widest.bytes, widest.frames + 1, widest.active_ms}, Carrier::stream, &kPolicyOutOfRange},
      {{widest.bytes, widest.frames, widest.active_ms + 1}, Carrier::stream, &kPolicyOutOfRange},
      {{kExtreme.bytes - 1, 512, 500}, Carrier::stream, &kPolicyOutOfRange},
      {{kExtreme.bytes, 0, 500}, Carrier::stream, &kPolicyOutOfRange},
      {{kExtreme.bytes, 512, 0}, Carrier::stream, &kPolicyOutOfRange},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(error_of(c.carrier, local(), peer(c.policy)), c.error) << (&c - cases);
  }
}

TEST(Negotiation, an_advertisement_below_the_floor_is_refused_in_any_component) {
  LocalAdvert ours = local();
  ours.policy_floor = kBrisk;
  EXPECT_EQ(error_of(Carrier::stream, ours, peer(kBrisk)), nullptr);
  EXPECT_EQ(
      error_of(Carrier::stream, ours, peer({kBrisk.bytes - 1, kBrisk.frames, kBrisk.active_ms})),
      &kPolicyBelowFloor);
  EXPECT_EQ(
      error_of(Carrier::stream, ours, peer({kBrisk.bytes, kBrisk.frames - 1, kBrisk.active_ms})),
      &kPolicyBelowFloor);
  EXPECT_EQ(
      error_of(Carrier::stream, ours, peer({kBrisk.bytes, kBrisk.frames, kBrisk.active_ms - 1})),
      &kPolicyBelowFloor);
}

TEST(Negotiation, the_datagram_carrier_uses_aes_only_if_both_have_it) {
  for (int both = 0; both < 4; ++both) {
    LocalAdvert ours = local();
    PeerAdvert theirs = peer();
    ours.capabilities.aes = (both & 1) != 0;
    theirs.capabilities.aes = (both & 2) != 0;
    EXPECT_EQ(negotiate(Carrier::datagram, ours, theirs)->aead,
              both == 3 ? crypto::AeadKind::aes_256_gcm : crypto::AeadKind::chacha20_poly1305);
    EXPECT_EQ(negotiate(Carrier::stream, ours, theirs)->aead, crypto::AeadKind::aes_256_gcm);
  }
}

TEST(Negotiation, the_named_policies_are_those_of_the_protocol) {
  EXPECT_EQ(kExtreme, (EpochPolicy{262'144, 512, 500}));
  EXPECT_EQ(kBrisk, (EpochPolicy{67'108'864, 65'536, 10'000}));
  EXPECT_EQ(kNormal, (EpochPolicy{8'589'934'592, 262'144, 60'000}));
  EXPECT_EQ(kSoft, (EpochPolicy{274'877'906'944, 8'388'608, 1'800'000}));
}

}  // namespace
}  // namespace karst::keys
