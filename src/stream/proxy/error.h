#pragma once

#include "base/result.h"

namespace karst::stream::proxy {

// Why a local connection ended before its bytes could flow. For the log; what the client is told
// is in the protocol's own codes.
inline constexpr ErrorKind kUnknownProtocol{"proxy", "unknown-protocol",
                                            "the first byte is neither SOCKS5 nor HTTP"};
inline constexpr ErrorKind kSocks4{"proxy", "socks4", "SOCKS4 is not offered, only SOCKS5"};
inline constexpr ErrorKind kGreetingTimeout{"proxy", "greeting-timeout",
                                            "the client did not finish its request in time"};
inline constexpr ErrorKind kNoAcceptableMethod{
    "proxy", "no-acceptable-method", "the client offers no authentication that is accepted here"};
inline constexpr ErrorKind kBadCredentials{"proxy", "bad-credentials",
                                           "the user or password is missing or wrong"};
inline constexpr ErrorKind kMalformedSocks{"proxy", "malformed-socks",
                                           "the SOCKS5 message is not well-formed"};
inline constexpr ErrorKind kUnsupportedCommand{"proxy", "unsupported-command",
                                               "only CONNECT and UDP ASSOCIATE are offered"};
inline constexpr ErrorKind kUnsupportedAddressType{"proxy", "unsupported-address-type",
                                                   "the SOCKS5 address type is unknown"};
inline constexpr ErrorKind kFragmentedDatagram{"proxy", "fragmented-datagram",
                                               "SOCKS5 fragments are not reassembled"};
inline constexpr ErrorKind kBadTarget{"proxy", "bad-target",
                                      "the host name, address or port cannot be a destination"};
// The detail is llhttp's error number, or 0 for a rule of ours.
inline constexpr ErrorKind kMalformedHttp{"proxy", "malformed-http",
                                          "the HTTP request is not well-formed"};
inline constexpr ErrorKind kHttpHeadTooLarge{"proxy", "http-head-too-large",
                                             "the HTTP request's head is too large"};
inline constexpr ErrorKind kHttpMethod{"proxy", "http-method", "the HTTP method is not offered"};
inline constexpr ErrorKind kNotAProxyRequest{
    "proxy", "not-a-proxy-request", "the HTTP request names no destination: this is a proxy"};
// The detail is llhttp's error number, or 0 for a rule of ours.
inline constexpr ErrorKind kBadUpstream{"proxy", "bad-upstream",
                                        "the web server's answer is not well-formed HTTP"};
inline constexpr ErrorKind kCredentialsOutOfRange{
    "proxy", "credentials-out-of-range",
    "user and password need 1 to 255 bytes each, the user no colon, neither control characters"};

}  // namespace karst::stream::proxy
