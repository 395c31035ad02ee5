#include "base/check.h"
#include "base/ip.h"

// What parses is written back in a form that parses to the same value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = karst::as_text({data, size});
  if (const auto address = karst::IpAddress::parse(text)) {
    CHECK(karst::IpAddress::parse(address->text()) == address);
  }
  if (const auto endpoint = karst::Endpoint::parse(text)) {
    CHECK(karst::Endpoint::parse(endpoint->text()) == endpoint);
  }
  if (const auto port = karst::parse_port(text)) CHECK(std::to_string(*port) == text);
  return 0;
}
