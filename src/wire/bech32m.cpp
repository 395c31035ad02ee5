#include "wire/bech32m.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/check.h"

namespace karst::wire {
namespace {

constexpr std::string_view kCharset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::uint32_t kChecksumConstant = 0x2bc830a3;
constexpr std::size_t kChecksumSymbols = 6;
constexpr std::size_t kTextMax = 90;

// The checksum register of BIP 173 after one more 5-bit symbol.
std::uint32_t step(std::uint32_t state, std::uint32_t symbol) {
  constexpr std::array<std::uint32_t, 5> kGenerator = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa,
                                                       0x3d4233dd, 0x2a1462b3};
  const std::uint32_t top = state >> 25;
  state = (state & 0x1ffffff) << 5 ^ symbol;
  for (std::size_t i = 0; i < kGenerator.size(); ++i) {
    if (top >> i & 1) state ^= kGenerator[i];
  }
  return state;
}

std::uint32_t start(std::string_view human_readable) {
  std::uint32_t state = 1;
  for (const char c : human_readable) state = step(state, static_cast<unsigned char>(c) >> 5);
  state = step(state, 0);
  for (const char c : human_readable) state = step(state, static_cast<unsigned char>(c) & 31);
  return state;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
char to_lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::string to_symbols(Bytes bytes) {
  std::string symbols;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const std::uint8_t byte : bytes) {
    bits = bits << 8 | byte;
    for (held += 8; held >= 5; held -= 5) {
      symbols.push_back(static_cast<char>(bits >> (held - 5) & 31));
    }
  }
  if (held > 0) symbols.push_back(static_cast<char>(bits << (5 - held) & 31));
  return symbols;
}

Result<ByteVector> to_bytes(std::string_view symbols) {
  ByteVector bytes;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char symbol : symbols) {
    bits = bits << 5 | static_cast<std::uint32_t>(symbol);
    held += 5;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<std::uint8_t>(bits >> held));
    }
  }
  if (held >= 5 || (bits & ((1u << held) - 1)) != 0) return kBadBech32m;
  return bytes;
}

}  // namespace

std::string bech32m(std::string_view human_readable, Bytes bytes) {
  CHECK(!human_readable.empty() && human_readable.size() <= 83 &&
        std::ranges::all_of(human_readable,
                            [](char c) { return c >= '!' && c <= '~' && !is_upper(c); }));
  const std::string symbols = to_symbols(bytes);
  CHECK(human_readable.size() + 1 + symbols.size() + kChecksumSymbols <= kTextMax);
  std::string text(human_readable);
  text.push_back('1');
  std::uint32_t state = start(human_readable);
  for (const char symbol : symbols) {
    state = step(state, static_cast<std::uint32_t>(symbol));
    text.push_back(kCharset[static_cast<std::size_t>(symbol)]);
  }
  for (std::size_t i = 0; i < kChecksumSymbols; ++i) state = step(state, 0);
  state ^= kChecksumConstant;
  for (std::size_t i = 0; i < kChecksumSymbols; ++i) {
    text.push_back(kCharset[state >> 5 * (kChecksumSymbols - 1 - i) & 31]);
  }
  return text;
}

Result<ByteVector> bech32m_decode(std::string_view human_readable, std::string_view text) {
  if (human_readable.empty() || text.size() > kTextMax ||
      text.size() < human_readable.size() + 1 + kChecksumSymbols) {
    return kBadBech32m;
  }
  if (std::ranges::any_of(text, is_upper) && std::ranges::any_of(text, is_lower)) {
    return kBadBech32m;
  }
  std::string symbols(text);
  std::ranges::transform(symbols, symbols.begin(), to_lower);
  if (!symbols.starts_with(human_readable) || symbols[human_readable.size()] != '1') {
    return kBadBech32m;
  }
  symbols.erase(0, human_readable.size() + 1);
  std::uint32_t state = start(human_readable);
  for (char& c : symbols) {
    const std::size_t value = kCharset.find(c);
    if (value == std::string_view::npos) return kBadBech32m;
    c = static_cast<char>(value);
    state = step(state, static_cast<std::uint32_t>(value));
  }
  if (state != kChecksumConstant) return kBadBech32m;
  return to_bytes(std::string_view(symbols).substr(0, symbols.size() - kChecksumSymbols));
}

}  // namespace karst::wire
