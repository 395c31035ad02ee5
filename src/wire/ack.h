#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "wire/offer.h"

namespace karst::wire {

inline constexpr std::size_t kAckBytes = kOfferBytes;

inline constexpr ErrorKind kBadAck{"wire", "bad-ack",
                                   "a ratchet acknowledgement does not have its exact form"};

// The answer to the OFFER of the same epoch, docs/protocol/ratchet.md "Messages".
struct Ack {
  std::uint64_t epoch = 0;  // never 0
  std::array<std::uint8_t, kRatchetX25519Bytes> x25519{};
  std::array<std::uint8_t, kRatchetKemBytes> kem{};  // ML-KEM-1024 ciphertext
  bool operator==(const Ack&) const = default;
};

// Takes exactly one body. kBadAck for any other length and for epoch 0.
Result<Ack> parse_ack(Bytes body);
void format_ack(const Ack& ack, std::span<std::uint8_t, kAckBytes> out);

}  // namespace karst::wire
