#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace karst::stream::tls {

// Whom the peer proved to be. `detail` is OpenSSL's X509_V_ERR number, or 0 for a pin.
inline constexpr ErrorKind kPinMismatch{
    "tls", "pin-mismatch",
    "the server's key is not the one the invite names: wrong server, a changed key, or someone in "
    "between"};
inline constexpr ErrorKind kUntrustedCertificate{
    "tls", "untrusted-certificate", "no trusted authority vouches for the server's certificate"};
inline constexpr ErrorKind kCertificateDates{
    "tls", "certificate-dates",
    "the server's certificate has expired or is not valid yet: check this machine's clock first"};
inline constexpr ErrorKind kWrongHost{"tls", "wrong-host",
                                      "the server's certificate is for another host name"};
inline constexpr ErrorKind kBadCertificate{"tls", "bad-certificate",
                                           "the server's certificate is not acceptable"};

// `detail` is the alert's description (RFC 8446 section 6); see alert_name().
inline constexpr ErrorKind kAlertReceived{"tls", "alert-received",
                                          "the peer ended the connection with an alert"};
// `detail` is OpenSSL's reason code (SSL_R_...): not TLS at all, no common version or group, a
// record that fails to authenticate, and so on.
inline constexpr ErrorKind kProtocol{"tls", "protocol", "the peer does not speak TLS 1.3 properly"};
// The fault is this side's, not the peer's: no memory, and the like. `detail` is OpenSSL's code.
inline constexpr ErrorKind kLibraryFailed{"tls", "library-failed",
                                          "the TLS library failed on this side"};
// What a reason code of OpenSSL's error queue stands for, where it needs no more to be known.
Error error_of_reason(int reason);
// More handshake messages after the handshake (key updates, tickets) than data can explain.
inline constexpr ErrorKind kHandshakeFlood{
    "tls", "handshake-flood", "the peer floods the connection with key updates or tickets"};
// The bytes ended without close_notify.
inline constexpr ErrorKind kTruncated{"tls", "truncated",
                                      "the connection broke off without a proper end"};
// write() after close_notify().
inline constexpr ErrorKind kClosed{"tls", "closed", "this side has already closed the connection"};

// Configuration: `detail` is OpenSSL's reason code.
inline constexpr ErrorKind kBadKeyPair{
    "tls", "bad-key-pair", "the certificate and private key are not usable or do not match"};
inline constexpr ErrorKind kBadTrustStore{"tls", "bad-trust-store",
                                          "no authority's certificate could be read"};
inline constexpr ErrorKind kBadServerName{
    "tls", "bad-server-name", "a public certificate needs the host name it is expected to carry"};

// "handshake failure", "certificate expired": for a person; "unknown" when it has no name.
std::string_view alert_name(std::int64_t description);

}  // namespace karst::stream::tls
