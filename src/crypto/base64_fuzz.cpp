#include "base/check.h"
#include "crypto/base64.h"

// Decoding accepts exactly what encoding writes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = karst::as_text({data, size});
  const auto bytes = karst::crypto::base64url_decode(text);
  if (bytes) CHECK(karst::crypto::base64url(*bytes) == text);
  const auto back = karst::crypto::base64url_decode(karst::crypto::base64url({data, size}));
  CHECK(back.has_value() && karst::equal(*back, {data, size}));
  return 0;
}
