#include "base/check.h"
#include "keys/client_psk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  const std::string_view text = as_text({data, size});
  if (const auto psk = keys::parse_client_psk(text)) {
    const auto written = keys::format_client_psk(*psk);
    CHECK(as_text(written.expose()).starts_with(text) && (size == 64 || size == 65));
  }
  return 0;
}
