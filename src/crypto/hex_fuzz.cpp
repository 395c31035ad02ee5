#include "base/check.h"
#include "crypto/hex.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  const Bytes input(data, size);
  ByteVector text(2 * size), back(size);
  crypto::hex_encode(input, text);
  CHECK(crypto::hex_decode(as_text(text), back).ok() && equal(back, input));
  ByteVector decoded(size / 2);
  if (crypto::hex_decode(as_text(input), decoded)) {
    ByteVector again(size);
    crypto::hex_encode(decoded, again);
    CHECK(equal(again, input));
  }
  return 0;
}
