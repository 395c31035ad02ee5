#pragma once

#include <array>
#include <cstdint>
#include <variant>

// Values that more than one handshake record carries (docs/protocol/session.md, Common values).

namespace karst::wire {

// The largest epoch that its sender accepts, as it stands in the record. Whether the numbers are
// in range depends on the carrier: keys/negotiation.h.
struct PolicyAdvert {
  std::uint64_t bytes = 0;
  std::uint64_t frames = 0;
  std::uint32_t active_ms = 0;
  bool operator==(const PolicyAdvert&) const = default;
};

struct Capabilities {
  bool aes = false;  // AES instructions: AES-256-GCM is the faster AEAD here
  bool fec = false;
  bool stream_carrier = false;
  bool datagram_carrier = false;
  bool operator==(const Capabilities&) const = default;
};

// Names a link in the datagram header: 24 bits.
struct ReceiverId {
  std::uint32_t value = 0;
  bool operator==(const ReceiverId&) const = default;
};

// The limits that are the same for every client of a server.
struct ServerLimits {
  std::uint32_t streams = 1'024;       // per link, at least 1
  std::uint32_t resume_seconds = 120;  // for how long the streams of a lost link are kept
  bool operator==(const ServerLimits&) const = default;
};

// The limits of one client; 0 means that the server sets none for this client alone.
struct ClientLimits {
  std::uint32_t streams = 0;           // per link
  std::uint64_t bytes_per_second = 0;  // in each direction
  bool operator==(const ClientLimits&) const = default;
};

using InviteId = std::array<std::uint8_t, 16>;
using SessionId = std::array<std::uint8_t, 16>;
using Nonce = std::array<std::uint8_t, 32>;

// 0: placed by an operator, or an invite's PSK right after enrolment. 1: made by enrolment.
enum class PskGeneration : std::uint8_t { zero = 0, one = 1 };
// Which PSK a client uses.
using PskSelector = std::variant<PskGeneration, InviteId>;

}  // namespace karst::wire
