#include "stream/tls/certificate.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <string>

#include "stream/tls/handles.h"
#include "stream/tls/tls_context.h"
#include "stream/tls/tls_pair.h"

namespace karst::stream::tls {
namespace {

X509Ptr parse(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return X509Ptr(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

TEST(Certificate, a_self_signed_one_carries_every_name) {
  const std::string names[] = {"site.example", "192.0.2.7", "2001:db8::7", "www.site.example"};
  const SelfSigned made = make_self_signed(names, kTestBefore, kTestAfter);
  const X509Ptr certificate = parse(made.certificate_pem);
  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(X509_check_host(certificate.get(), "site.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "www.site.example", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "192.0.2.7", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "2001:db8::7", 0), 1);
  EXPECT_EQ(X509_check_host(certificate.get(), "other.example", 0, 0, nullptr), 0);
  char common_name[65] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, common_name,
                            sizeof common_name);
  EXPECT_STREQ(common_name, "site.example");
}

TEST(Certificate, a_self_signed_one_is_valid_for_exactly_the_given_time) {
  const SelfSigned made = test_certificate();
  const X509Ptr certificate = parse(made.certificate_pem);
  std::time_t before = kTestBefore.seconds;
  std::time_t after = kTestAfter.seconds;
  EXPECT_EQ(ASN1_TIME_cmp_time_t(X509_get0_notBefore(certificate.get()), before), 0);
  EXPECT_EQ(ASN1_TIME_cmp_time_t(X509_get0_notAfter(certificate.get()), after), 0);
}

TEST(Certificate, a_name_too_long_for_a_common_name_is_only_an_alternative_name) {
  const std::string name = std::string(60, 'a') + ".example";
  const X509Ptr certificate = parse(test_certificate(name).certificate_pem);
  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(X509_check_host(certificate.get(), name.c_str(), 0, 0, nullptr), 1);
  EXPECT_EQ(X509_NAME_entry_count(X509_get_subject_name(certificate.get())), 0);
}

TEST(Certificate, two_self_signed_ones_share_neither_key_nor_serial_number) {
  const SelfSigned a = test_certificate();
  const SelfSigned b = test_certificate();
  EXPECT_NE(*spki_pin(a.certificate_pem), *spki_pin(b.certificate_pem));
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(parse(a.certificate_pem).get()),
                             X509_get0_serialNumber(parse(b.certificate_pem).get())),
            0);
}

// The pin was computed by the openssl command line:
// openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256
TEST(Certificate, the_pin_is_the_digest_of_the_public_key_info) {
  const std::string pem = R"(-----BEGIN CERTIFICATE-----
MIIBQjCB9aADAgECAhQGB67rUU+JbIVPfwObjE0mAtMQfzAFBgMrZXAwFjEUMBIG
A1UEAwwLcGluLmV4YW1wbGUwIBcNMjYxMTMwMTYzOTI1WhgPMjEyNjExMDYxNjM5
MjVaMBYxFDASBgNVBAMMC3Bpbi5leGFtcGxlMCowBQYDK2VwAyEA5IarybilxJeR
8Pn9/Jom6ABExmEVUY2ONDecEyW8v4OjUzBRMB0GA1UdDgQWBBSwdwMQS9NuhnZP
92RNxXdBqxlBhDAfBgNVHSMEGDAWgBSwdwMQS9NuhnZP92RNxXdBqxlBhDAPBgNV
HRMBAf8EBTADAQH/MAUGAytlcANBAIgHXEedY6yUICvO4EoyTcVB5ZrIbOmQM6sO
ZhE5FQ1z0vaJwmw4yxDsvleXptSm6Vm1P5ugQ+QHcO4gvmACtAY=
-----END CERTIFICATE-----
)";
  const auto pin = spki_pin(pem);
  ASSERT_TRUE(pin.ok());
  std::string hex;
  for (const std::uint8_t byte : *pin) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  EXPECT_EQ(hex, "f9e1196e940a4824f87799a4be5f3da66c139d020b7b2348c5e025f952ef8a65");
}

TEST(Certificate, text_that_is_no_certificate_has_no_pin) {
  for (const char* text : {"", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n"}) {
    const auto pin = spki_pin(text);
    ASSERT_FALSE(pin.ok()) << text;
    EXPECT_TRUE(pin.error().is(kNotACertificate));
  }
}

TEST(TlsContext, a_server_takes_only_a_certificate_with_its_own_key) {
  const SelfSigned a = test_certificate();
  const SelfSigned b = test_certificate();
  const std::string damaged = a.certificate_pem.substr(0, a.certificate_pem.size() / 2);
  struct Case {
    std::string_view certificate;
    std::string_view key;
    bool usable;
  };
  const std::string chain = a.certificate_pem + b.certificate_pem;
  const std::string bad_chain = a.certificate_pem + damaged;
  for (const Case& c : {Case{a.certificate_pem, a.key_pem, true}, Case{chain, a.key_pem, true},
                        Case{a.certificate_pem, b.key_pem, false}, Case{damaged, a.key_pem, false},
                        Case{bad_chain, a.key_pem, false}, Case{a.certificate_pem, "", false},
                        Case{"", a.key_pem, false}}) {
    const auto made = TlsContext::server({c.certificate, c.key});
    ASSERT_EQ(made.ok(), c.usable);
    if (!c.usable) {
      EXPECT_TRUE(made.error().is(kBadKeyPair));
    }
  }
}

TEST(TlsContext, a_client_without_an_authority_or_a_name_is_refused) {
  const auto no_authority =
      TlsContext::client({.trust = PublicTrust{"not a certificate"}, .server_name = "a.example"});
  ASSERT_FALSE(no_authority.ok());
  EXPECT_TRUE(no_authority.error().is(kBadTrustStore));
  const auto no_name = TlsContext::client(
      {.trust = PublicTrust{test_certificate().certificate_pem}, .server_name = ""});
  ASSERT_FALSE(no_name.ok());
  EXPECT_TRUE(no_name.error().is(kBadServerName));
}

}  // namespace
}  // namespace karst::stream::tls
