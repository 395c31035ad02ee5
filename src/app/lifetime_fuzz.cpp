#include <string>

#include "app/lifetime.h"
#include "base/bytes.h"
#include "base/check.h"

// What is accepted is in range and, written in seconds, the same lifetime.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::app;
  const auto lifetime = parse_lifetime(karst::as_text({data, size}));
  if (!lifetime) return 0;
  CHECK(*lifetime >= 1 && *lifetime <= kLifetimeSecondsMax);
  CHECK(parse_lifetime(std::to_string(*lifetime) + "s") == lifetime);
  return 0;
}
