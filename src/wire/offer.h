#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/result.h"

namespace karst::wire {

// OFFER and ACK are the two bodies of the ratchet, docs/protocol/ratchet.md "Messages". They have
// the same layout; what stands in `kem` differs.
inline constexpr std::size_t kRatchetX25519Bytes = 32;
inline constexpr std::size_t kRatchetKemBytes = 1568;
inline constexpr std::size_t kOfferBytes = 8 + kRatchetX25519Bytes + kRatchetKemBytes;

inline constexpr ErrorKind kBadOffer{"wire", "bad-offer",
                                     "a ratchet offer does not have its exact form"};

struct Offer {
  std::uint64_t epoch = 0;  // the offered epoch, never 0
  std::array<std::uint8_t, kRatchetX25519Bytes> x25519{};
  std::array<std::uint8_t, kRatchetKemBytes> kem{};  // ML-KEM-1024 encapsulation key
  bool operator==(const Offer&) const = default;
};

// Takes exactly one body. kBadOffer for any other length and for epoch 0; whether the keys are
// good keys shows when they are used.
Result<Offer> parse_offer(Bytes body);
void format_offer(const Offer& offer, std::span<std::uint8_t, kOfferBytes> out);

}  // namespace karst::wire
