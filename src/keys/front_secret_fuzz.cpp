#include "base/check.h"
#include "keys/front_secret.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  const std::string_view text = as_text({data, size});
  if (const auto secrets = keys::FrontSecrets::parse(text)) {
    const auto written = secrets->format();
    CHECK(as_text(written.text.expose()).substr(0, written.size) == text);
  }
  return 0;
}
