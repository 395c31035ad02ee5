#include "keys/padding.h"

#include "base/check.h"

namespace karst::keys {

std::size_t random_padding(Entropy& entropy, std::size_t max) {
  CHECK((max & (max + 1)) == 0 && max <= 0xffff);
  const auto bytes = entropy.bytes<2>();
  return (std::size_t{bytes[0]} << 8 | bytes[1]) & max;
}

}  // namespace karst::keys
