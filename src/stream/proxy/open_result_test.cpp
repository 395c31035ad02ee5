#include "stream/proxy/open_result.h"

#include <gtest/gtest.h>

namespace karst::stream::proxy {
namespace {

TEST(OpenResult, each_has_its_code_in_socks_and_in_http) {
  using enum OpenResult;
  const struct {
    OpenResult result;
    int socks5;
    int http;
    std::string_view http_error;
  } cases[] = {
      {ok, 0x00, 200, ""},
      {refused, 0x05, 502, "connection_refused"},
      {network_unreachable, 0x03, 502, "destination_ip_unroutable"},
      {host_unreachable, 0x04, 502, "destination_unavailable"},
      {timed_out, 0x06, 504, "connection_timeout"},
      {forbidden, 0x02, 403, "destination_ip_prohibited"},
      {name_not_found, 0x04, 502, "dns_error"},
      {limit, 0x01, 503, "connection_limit_reached"},
      {internal, 0x01, 502, "proxy_internal_error"},
  };
  static_assert(std::size(cases) == kOpenResults);
  for (const auto& c : cases) {
    EXPECT_EQ(answer(c.result).socks5, c.socks5) << c.http_error;
    EXPECT_EQ(answer(c.result).http, c.http) << c.http_error;
    EXPECT_EQ(answer(c.result).http_error, c.http_error);
    EXPECT_FALSE(answer(c.result).text.empty());
  }
}

}  // namespace
}  // namespace karst::stream::proxy
