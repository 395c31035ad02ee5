#include "stream/tls/certificate.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <utility>

#include "base/check.h"
#include "base/ip.h"
#include "crypto/secret.h"
#include "stream/tls/context_state.h"
#include "stream/tls/handles.h"

namespace karst::stream::tls {
namespace {

constexpr std::size_t kCommonNameBytesMax = 64;  // RFC 5280 appendix A.1, ub-common-name

using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, OsslDelete<GENERAL_NAMES_free>>;
using BignumPtr = std::unique_ptr<BIGNUM, OsslDelete<BN_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, OsslDelete<X509_EXTENSION_free>>;

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

void wipe_text(std::string& text) {
  crypto::wipe({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  text.clear();
}

GENERAL_NAME* general_name(const std::string& name) {
  GENERAL_NAME* general = GENERAL_NAME_new();
  CHECK(general != nullptr);
  if (const auto address = IpAddress::parse(name)) {
    ASN1_OCTET_STRING* octets = ASN1_OCTET_STRING_new();
    const Bytes bytes = address->bytes();
    CHECK(ASN1_OCTET_STRING_set(octets, bytes.data(), static_cast<int>(bytes.size())) == 1);
    GENERAL_NAME_set0_value(general, GEN_IPADD, octets);
  } else {
    ASN1_IA5STRING* dns = ASN1_IA5STRING_new();
    CHECK(ASN1_STRING_set(dns, name.data(), static_cast<int>(name.size())) == 1);
    GENERAL_NAME_set0_value(general, GEN_DNS, dns);
  }
  return general;
}

void add_alternative_names(X509* certificate, std::span<const std::string> names) {
  const GeneralNamesPtr list(GENERAL_NAMES_new());
  for (const std::string& name : names) {
    CHECK(sk_GENERAL_NAME_push(list.get(), general_name(name)) > 0);
  }
  CHECK(X509_add1_ext_i2d(certificate, NID_subject_alt_name, list.get(), 0, 0) == 1);
}

void add_extension(X509* certificate, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  CHECK(extension != nullptr);
  CHECK(X509_add_ext(certificate, extension.get(), -1) == 1);
}

void set_random_serial(X509* certificate) {
  // Positive and of full length, as RFC 5280 section 4.1.2.2 and browsers want it.
  const BignumPtr number(BN_new());
  CHECK(BN_rand(number.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1);
  CHECK(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr);
}

X509Ptr sign_new_certificate(EVP_PKEY* key, std::span<const std::string> names, UnixTime not_before,
                             UnixTime not_after) {
  X509Ptr certificate(X509_new());
  X509* x = certificate.get();
  CHECK(x != nullptr && X509_set_version(x, X509_VERSION_3) == 1);
  set_random_serial(x);
  CHECK(ASN1_TIME_set(X509_getm_notBefore(x), not_before.seconds) != nullptr);
  CHECK(ASN1_TIME_set(X509_getm_notAfter(x), not_after.seconds) != nullptr);
  CHECK(X509_set_pubkey(x, key) == 1);
  X509_NAME* subject = X509_get_subject_name(x);
  if (names[0].size() <= kCommonNameBytesMax) {
    CHECK(X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(names[0].data()),
                                     static_cast<int>(names[0].size()), -1, 0) == 1);
  }
  CHECK(X509_set_issuer_name(x, subject) == 1);
  add_extension(x, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(x, NID_key_usage, "critical,digitalSignature");
  add_extension(x, NID_ext_key_usage, "serverAuth");
  add_extension(x, NID_subject_key_identifier, "hash");
  add_alternative_names(x, names);
  CHECK(X509_sign(x, key, EVP_sha256()) > 0);
  return certificate;
}

}  // namespace

SelfSigned::~SelfSigned() { wipe_text(key_pem); }
SelfSigned& SelfSigned::operator=(SelfSigned&& other) noexcept {
  wipe_text(key_pem);
  certificate_pem = std::move(other.certificate_pem);
  key_pem = std::move(other.key_pem);
  return *this;
}

SelfSigned make_self_signed(std::span<const std::string> names, UnixTime not_before,
                            UnixTime not_after) {
  CHECK(!names.empty());
  const PkeyPtr key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  CHECK(key != nullptr);
  const X509Ptr certificate = sign_new_certificate(key.get(), names, not_before, not_after);
  // BIO_s_secmem() wipes what it held when it is freed.
  const BioPtr certificate_text(BIO_new(BIO_s_mem()));
  const BioPtr key_text(BIO_new(BIO_s_secmem()));
  CHECK(PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1);
  CHECK(PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                      nullptr) == 1);
  SelfSigned made;
  made.certificate_pem = text_of(certificate_text.get());
  made.key_pem = text_of(key_text.get());
  return made;
}

crypto::Sha256Digest spki_digest(const X509* certificate) {
  unsigned char* der = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  CHECK(size > 0);
  const auto digest = crypto::sha256({Bytes(der, static_cast<std::size_t>(size))});
  OPENSSL_free(der);
  return digest;
}

Result<crypto::Sha256Digest> spki_pin(std::string_view certificate_pem) {
  const BioPtr bio(
      BIO_new_mem_buf(certificate_pem.data(), static_cast<int>(certificate_pem.size())));
  const X509Ptr certificate(
      PEM_read_bio_X509(bio.get(), nullptr, [](char*, int, int, void*) { return -1; }, nullptr));
  ERR_clear_error();
  if (certificate == nullptr) return kNotACertificate;
  return spki_digest(certificate.get());
}

}  // namespace karst::stream::tls
