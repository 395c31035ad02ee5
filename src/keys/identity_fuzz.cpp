#include "base/check.h"
#include "keys/identity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  const std::string_view text = as_text({data, size});
  if (const auto seed = keys::parse_identity(text)) {
    const auto written = keys::format_identity(*seed);
    CHECK(as_text(written.expose()).starts_with(text) && size + 1 >= keys::kIdentityTextBytes);
  }
  return 0;
}
