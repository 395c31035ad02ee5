#include "base/cidr.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace karst {
namespace {

unsigned width(const IpAddress& address) { return address.is_v4() ? 32 : 128; }

template <std::size_t N>
std::array<std::uint8_t, N> masked(Bytes from, unsigned bits) {
  std::array<std::uint8_t, N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    const unsigned left =
        bits > 8 * i ? std::min<unsigned>(8, bits - 8 * static_cast<unsigned>(i)) : 0;
    out[i] = static_cast<std::uint8_t>(from[i] & (0xff00u >> left));
  }
  return out;
}

}  // namespace

Cidr Cidr::around(const IpAddress& address, unsigned bits) {
  CHECK(bits <= width(address));
  return {address.is_v4() ? IpAddress::v4(masked<4>(address.bytes(), bits))
                          : IpAddress::v6(masked<16>(address.bytes(), bits)),
          bits};
}

std::optional<Cidr> Cidr::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  if (slash == text.npos) return Cidr(*address, width(*address));

  const std::string_view digits = text.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc() || end != digits.data() + digits.size() || bits > width(*address) ||
      (digits.size() > 1 && digits.front() == '0')) {
    return std::nullopt;
  }
  const Cidr out = around(*address, bits);
  if (out.base_ != *address) return std::nullopt;
  return out;
}

bool Cidr::contains(const IpAddress& address) const {
  if (address.is_v4() != base_.is_v4()) return false;
  const Bytes ours = base_.bytes(), theirs = address.bytes();
  const std::size_t whole = bits_ / 8;
  const unsigned rest = bits_ % 8;
  return equal(ours.first(whole), theirs.first(whole)) &&
         (rest == 0 || (ours[whole] ^ theirs[whole]) >> (8 - rest) == 0);
}

std::string Cidr::text() const { return base_.text() + "/" + std::to_string(bits_); }

}  // namespace karst
