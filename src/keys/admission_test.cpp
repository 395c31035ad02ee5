#include "keys/admission.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "crypto/base64.h"
#include "crypto/reference_for_test.h"

namespace karst::keys {
namespace {

namespace ref = crypto::reference;
constexpr UnixTime kNow{1'800'000'000};
constexpr std::string_view kAuthority = "site.example:8443";

struct Admission : testing::Test {
  SeededEntropy entropy{5};
  FrontSecret secret = FrontSecret::random(entropy);
  FrontSecrets secrets{secret.duplicate(), 1};
  TlsExporter exporter = TlsExporter::random(entropy);
  AdmissionGate gate{exporter.duplicate()};

  std::string proof(std::string_view authority = kAuthority) {
    return make_admission_cookie(secret, exporter, authority, entropy);
  }
  const ErrorKind* judge(std::string_view cookies, std::string_view authority = kAuthority) {
    const auto access = gate.admit(cookies, authority, secrets, kNow);
    return access ? nullptr : &access.error().kind();
  }
};

TEST_F(Admission, a_proof_is_what_openssl_gives_by_hand) {
  const std::string cookie = proof();
  ASSERT_TRUE(cookie.starts_with("sid="));
  const ByteVector bytes = crypto::base64url_decode(cookie.substr(4)).value();
  const Bytes random = Bytes(bytes).first(16);
  EXPECT_EQ(bytes, ref::join({random,
                              ref::hmac(secret.expose(),
                                        ref::join({as_bytes("karst/1 admission"), exporter.expose(),
                                                   ref::lp(as_bytes(kAuthority)), random}))}));
  EXPECT_EQ(cookie.size(), 4u + 64);
}

// The line of docs/protocol/session.md, Test vectors.
TEST_F(Admission, a_proof_is_what_the_protocol_page_prints) {
  struct Eights final : Entropy {
    void fill(MutableBytes out) override {
      for (auto& byte : out) byte = 8;
    }
  } eights;
  const auto threes = FrontSecret::from_bytes(ByteVector(32, 3));
  const auto fives = TlsExporter::from_bytes(ByteVector(32, 5));
  EXPECT_EQ(make_admission_cookie(threes, fives, "tunnel.example.org", eights),
            "sid=CAgICAgICAgICAgICAgICA-LCpbsR-YmJm042X1WIeZqt2_App6p-pbYC2QfSxvK");
}

TEST_F(Admission, a_good_proof_admits_and_names_its_generation) {
  const auto access = gate.admit(proof(), kAuthority, secrets, kNow);
  ASSERT_TRUE(access.ok());
  EXPECT_EQ(access->generation(), 1u);
  EXPECT_TRUE(equal(access->front_secret().expose(), secret.expose()));
  EXPECT_TRUE(equal(access->exporter().expose(), exporter.expose()));
}

TEST_F(Admission, a_connection_admits_once_whatever_the_proof) {
  const std::string first = proof();
  EXPECT_EQ(judge(first), nullptr);
  EXPECT_EQ(judge(first), &kProofReused);
  EXPECT_EQ(judge(proof()), &kProofReused);
}

TEST_F(Admission, a_wrong_proof_does_not_use_the_connection_up) {
  EXPECT_EQ(judge("sid=" + std::string(64, 'A')), &kProofWrong);
  EXPECT_EQ(judge(proof()), nullptr);
}

TEST_F(Admission, a_proof_of_another_connection_authority_or_secret_is_wrong) {
  const TlsExporter other = TlsExporter::random(entropy);
  EXPECT_EQ(judge(make_admission_cookie(secret, other, kAuthority, entropy)), &kProofWrong);
  EXPECT_EQ(judge(proof("site.example")), &kProofWrong);
  EXPECT_EQ(judge(proof(), "site.example"), &kProofWrong);
  EXPECT_EQ(
      judge(make_admission_cookie(FrontSecret::random(entropy), exporter, kAuthority, entropy)),
      &kProofWrong);
}

TEST_F(Admission, every_changed_bit_of_a_proof_is_found) {
  const ByteVector good = crypto::base64url_decode(proof().substr(4)).value();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    ByteVector bad = good;
    bad[bit / 8] = static_cast<std::uint8_t>(bad[bit / 8] ^ 1u << bit % 8);
    EXPECT_EQ(judge("sid=" + crypto::base64url(bad)), &kProofWrong) << bit;
  }
}

TEST_F(Admission, the_first_sid_cookie_counts_wherever_it_stands) {
  const std::string good = proof();
  const std::string wrong = "sid=" + std::string(64, 'A');
  struct Case {
    std::string cookies;
    const ErrorKind* error;
  };
  const Case cases[] = {
      {"", &kProofMissing},
      {"a=b; c=d", &kProofMissing},
      {"asid=x; xsid=y", &kProofMissing},
      {"sid", &kProofMissing},
      {"sid=", &kProofMalformed},
      {"sid=abc", &kProofMalformed},
      {good + "A", &kProofMalformed},
      {good.substr(0, good.size() - 1), &kProofMalformed},
      {"sid=" + std::string(64, '+'), &kProofMalformed},
      {wrong + "; " + good, &kProofWrong},
      {" " + good, &kProofMissing},
      {"a=b; " + good + "; " + wrong, nullptr},
  };
  for (const Case& c : cases) {
    gate = AdmissionGate(exporter.duplicate());
    EXPECT_EQ(judge(c.cookies), c.error) << c.cookies;
  }
}

TEST_F(Admission, an_authority_past_its_limit_is_refused_and_one_at_it_is_not) {
  const std::string longest(kAuthorityBytesMax, 'a');
  EXPECT_EQ(judge(proof(longest), longest + "a"), &kProofWrong);
  EXPECT_EQ(judge(proof(longest), longest), nullptr);
}

TEST_F(Admission, the_old_front_secret_admits_until_its_overlap_ends) {
  const std::string cookie = proof();
  secrets.rotate(FrontSecret::random(entropy), {kNow.seconds + 1});
  EXPECT_EQ(gate.admit(cookie, kAuthority, secrets, kNow)->generation(), 1u);
  gate = AdmissionGate(exporter.duplicate());
  EXPECT_FALSE(gate.admit(cookie, kAuthority, secrets, {kNow.seconds + 1}).ok());
}

}  // namespace
}  // namespace karst::keys
