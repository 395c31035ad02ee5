#include "app/server_address.h"
#include "base/bytes.h"
#include "base/check.h"

// What is accepted fits into an invite and, written again, is the same address.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  const auto address = app::parse_server_address(as_text({data, size}));
  if (!address) return 0;
  CHECK(wire::valid_host(address->host) && address->port != 0);
  CHECK(app::parse_server_address(app::format_server_address(*address)) == address);
  return 0;
}
