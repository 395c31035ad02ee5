#include "stream/proxy/open_result.h"

#include <array>

#include "base/check.h"

namespace karst::stream::proxy {
namespace {

constexpr std::array<OpenAnswer, kOpenResults> kAnswers{{
    {0x00, 200, "", "connected"},
    {0x05, 502, "connection_refused", "the destination refused the connection"},
    {0x03, 502, "destination_ip_unroutable", "the destination's network cannot be reached"},
    {0x04, 502, "destination_unavailable", "the destination cannot be reached"},
    {0x06, 504, "connection_timeout", "the destination did not answer in time"},
    {0x02, 403, "destination_ip_prohibited", "the tunnel's server does not allow this destination"},
    {0x04, 502, "dns_error", "the destination's name was not found"},
    {0x01, 503, "connection_limit_reached", "a limit on connections is reached"},
    {0x01, 502, "proxy_internal_error", "the tunnel could not open the connection"},
}};

}  // namespace

const OpenAnswer& answer(OpenResult result) {
  const auto index = static_cast<std::size_t>(result);
  CHECK(index < kAnswers.size());
  return kAnswers[index];
}

}  // namespace karst::stream::proxy
