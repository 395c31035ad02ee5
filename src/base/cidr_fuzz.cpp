#include "base/check.h"
#include "base/cidr.h"

// What parses is written back in a form that parses to the same network, which holds its base.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto network = karst::Cidr::parse(karst::as_text({data, size}));
  if (!network) return 0;
  CHECK(karst::Cidr::parse(network->text()) == network);
  CHECK(network->contains(network->base()));
  return 0;
}
