#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace karst::wire {

inline constexpr ErrorKind kBadNodeId{"wire", "bad-node-id", "the text is not a karst1... node id"};

// SHA-256 over both public keys of an identity (keys/identity.h makes it). Public.
struct NodeId {
  std::array<std::uint8_t, 32> bytes{};

  // bech32m with the human-readable part "karst": 64 lower-case characters, "karst1...".
  std::string text() const;
  // Accepts what text() writes, also all in upper case (BIP 350), and nothing else.
  static Result<NodeId> parse(std::string_view text);
  auto operator<=>(const NodeId&) const = default;
};

}  // namespace karst::wire
