#include "keys/resumption.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "crypto/reference_for_test.h"

namespace karst::keys {
namespace {

struct Resumption : testing::Test {
  SeededEntropy entropy{9};
  ResumeKey key = ResumeKey::random(entropy);
  TranscriptHash link = entropy.bytes<32>();
  ResumeMac mac = make_resume_mac(key, link);
};

TEST_F(Resumption, the_mac_is_what_openssl_gives_by_hand) {
  EXPECT_TRUE(equal(mac, crypto::reference::hmac(key.expose(), link)));
}

TEST_F(Resumption, only_the_same_key_and_the_same_new_link_verify) {
  EXPECT_TRUE(verify_resume_mac(key, link, mac));
  EXPECT_FALSE(verify_resume_mac(ResumeKey::random(entropy), link, mac));
  EXPECT_FALSE(verify_resume_mac(key, entropy.bytes<32>(), mac));
}

TEST_F(Resumption, every_changed_bit_and_every_other_length_is_refused) {
  for (std::size_t bit = 0; bit < mac.size() * 8; ++bit) {
    ResumeMac bad = mac;
    bad[bit / 8] = static_cast<std::uint8_t>(bad[bit / 8] ^ 1u << bit % 8);
    EXPECT_FALSE(verify_resume_mac(key, link, bad)) << bit;
  }
  EXPECT_FALSE(verify_resume_mac(key, link, Bytes(mac).first(31)));
  EXPECT_FALSE(verify_resume_mac(key, link, {}));
}

}  // namespace
}  // namespace karst::keys
