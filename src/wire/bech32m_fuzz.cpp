#include "base/check.h"
#include "wire/bech32m.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  using namespace karst::wire;
  const Bytes input(data, size);
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    return text;
  };
  if (const auto bytes = bech32m_decode("karst", as_text(input))) {
    CHECK(bech32m("karst", *bytes) == lower(std::string(as_text(input))));
  }
  if (size <= 32) {
    CHECK(bech32m_decode("karst", bech32m("karst", input)).value() == to_vector(input));
  }
  return 0;
}
