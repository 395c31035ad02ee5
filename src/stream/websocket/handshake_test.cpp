#include "stream/websocket/handshake.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace karst::stream::websocket {
namespace {

// The example of RFC 6455 section 1.3.
constexpr std::string_view kKey = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr std::string_view kAccept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

UpgradeRequest good_upgrade() {
  return {.method = "GET",
          .host = "site.example",
          .upgrade = "websocket",
          .connection = "Upgrade",
          .key = kKey,
          .version = "13"};
}

TEST(Handshake, the_accept_key_is_that_of_the_rfc) { EXPECT_EQ(accept_key(kKey), kAccept); }

TEST(Handshake, an_http11_upgrade_needs_every_part_of_it) {
  EXPECT_TRUE(check_upgrade(good_upgrade()).ok());
  struct Case {
    const char* what;
    std::function<void(UpgradeRequest&)> change;
    int status;  // 0: still good
  };
  const Case cases[] = {
      {"POST", [](auto& r) { r.method = "POST"; }, 400},
      {"HTTP/1.0", [](auto& r) { r.version_minor = 0; }, 400},
      {"no host", [](auto& r) { r.host = ""; }, 400},
      {"no upgrade", [](auto& r) { r.upgrade = ""; }, 400},
      {"upgrade to h2c", [](auto& r) { r.upgrade = "h2c"; }, 400},
      {"upgrade in capitals", [](auto& r) { r.upgrade = "WebSocket"; }, 0},
      {"upgrade list", [](auto& r) { r.upgrade = "h2c, websocket"; }, 0},
      {"connection close", [](auto& r) { r.connection = "close"; }, 400},
      {"connection list", [](auto& r) { r.connection = "keep-alive,  upgrade"; }, 0},
      {"connection near miss", [](auto& r) { r.connection = "upgraded"; }, 400},
      {"no version", [](auto& r) { r.version = ""; }, 426},
      {"old version", [](auto& r) { r.version = "8"; }, 426},
      {"no key", [](auto& r) { r.key = ""; }, 400},
      {"short key", [](auto& r) { r.key = "dGhlIHNhbXBsZSBub25j"; }, 400},
      {"key without padding", [](auto& r) { r.key = "dGhlIHNhbXBsZSBub25jZQAA"; }, 400},
      {"key of other letters", [](auto& r) { r.key = "dGhlIHNhbXBsZSBub25-_Q=="; }, 400},
      {"key with spaces around", [](auto& r) { r.key = " dGhlIHNhbXBsZSBub25jZQ== "; }, 0},
  };
  for (const Case& c : cases) {
    UpgradeRequest request = good_upgrade();
    c.change(request);
    const auto checked = check_upgrade(request);
    ASSERT_EQ(checked.ok(), c.status == 0) << c.what;
    if (c.status == 0) continue;
    EXPECT_EQ(checked.error().detail(), c.status) << c.what;
    EXPECT_TRUE(checked.error().is(c.status == 426 ? kBadVersion : kNotUpgrade)) << c.what;
  }
}

TEST(Handshake, a_client_believes_only_a_101_with_the_right_accept) {
  const UpgradeResponse good{101, "WebSocket", "upgrade", kAccept};
  EXPECT_TRUE(check_upgrade_response(good, kKey).ok());
  EXPECT_FALSE(check_upgrade_response(good, "AAAAAAAAAAAAAAAAAAAAAA==").ok());
  for (const UpgradeResponse& bad : {UpgradeResponse{200, "websocket", "upgrade", kAccept},
                                     UpgradeResponse{101, "h2c", "upgrade", kAccept},
                                     UpgradeResponse{101, "websocket", "close", kAccept},
                                     UpgradeResponse{101, "websocket", "upgrade", ""}}) {
    const auto checked = check_upgrade_response(bad, kKey);
    ASSERT_FALSE(checked.ok());
    EXPECT_TRUE(checked.error().is(kNotAccepted));
    EXPECT_EQ(checked.error().detail(), bad.status);
  }
}

TEST(Handshake, an_extended_connect_needs_every_part_of_it) {
  const ConnectRequest good{"CONNECT", "websocket", "https", "site.example", "/live", "13"};
  EXPECT_TRUE(check_connect(good).ok());
  struct Case {
    const char* what;
    std::function<void(ConnectRequest&)> change;
    int status;
  };
  const Case cases[] = {
      {"GET", [](auto& r) { r.method = "GET"; }, 400},
      {"plain CONNECT", [](auto& r) { r.protocol = ""; }, 400},
      {"another protocol", [](auto& r) { r.protocol = "connect-udp"; }, 400},
      {"no scheme", [](auto& r) { r.scheme = ""; }, 400},
      {"no authority", [](auto& r) { r.authority = ""; }, 400},
      {"no path", [](auto& r) { r.path = ""; }, 400},
      {"no version", [](auto& r) { r.version = ""; }, 426},
  };
  for (const Case& c : cases) {
    ConnectRequest request = good;
    c.change(request);
    const auto checked = check_connect(request);
    ASSERT_FALSE(checked.ok()) << c.what;
    EXPECT_EQ(checked.error().detail(), c.status) << c.what;
  }
}

}  // namespace
}  // namespace karst::stream::websocket
