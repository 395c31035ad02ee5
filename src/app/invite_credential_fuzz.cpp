#include "app/invite_credential.h"
#include "base/check.h"

// What is accepted is exactly what would be written, but for the last newline.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  const std::string_view text = as_text({data, size});
  const auto credential = app::parse_invite_credential(text);
  if (!credential.ok()) return 0;
  const auto again = app::format_invite_credential(credential->id, credential->psk);
  CHECK(again.expose_text().starts_with(text) && again.size() - text.size() <= 1);
  return 0;
}
