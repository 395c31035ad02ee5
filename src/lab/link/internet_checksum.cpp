#include "lab/link/internet_checksum.h"

namespace karst::lab {
namespace {

std::uint64_t add(std::uint64_t sum, Bytes bytes) {
  std::size_t at = 0;
  for (; at + 1 < bytes.size(); at += 2) sum += std::uint64_t{bytes[at]} << 8 | bytes[at + 1];
  if (at < bytes.size()) sum += std::uint64_t{bytes[at]} << 8;
  return sum;
}

std::uint16_t fold(std::uint64_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

}  // namespace

std::uint16_t internet_checksum(Bytes bytes) {
  return static_cast<std::uint16_t>(~fold(add(0, bytes)));
}

std::uint16_t pseudo_header_sum(Bytes ip, std::uint8_t protocol, std::size_t length) {
  const bool v4 = ip[0] >> 4 == 4;
  const Bytes addresses = v4 ? ip.subspan(12, 8) : ip.subspan(8, 32);
  return fold(add(0, addresses) + protocol + length);
}

std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t before, std::uint16_t after) {
  const std::uint64_t sum = std::uint64_t{static_cast<std::uint16_t>(~checksum)} +
                            static_cast<std::uint16_t>(~before) + after;
  return static_cast<std::uint16_t>(~fold(sum));
}

}  // namespace karst::lab
