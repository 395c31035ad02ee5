#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "base/prng.h"
#include "base/time.h"
#include "crypto/aead.h"
#include "keys/ratchet.h"
#include "sim/virtual_clock.h"

// Two ends of a datagram link over a path that loses and reorders, in virtual time: the real
// ratchet and key store and a real AEAD, with the simplest packets and the simplest reliable
// channel for OFFER and ACK that do.

namespace karst::sim {

struct PacketPathConfig {
  Duration round_trip = std::chrono::milliseconds(40);
  Duration jitter = std::chrono::milliseconds(30);  // a packet is late by up to this
  std::uint32_t lost_per_mille = 50;
};

struct Packet {
  std::uint16_t epoch_low_bits = 0;
  std::uint64_t number = 0;
  std::uint64_t epoch = 0;  // for the checker only: not on the wire
  keys::RecordClass kind = keys::RecordClass::counted;
  // Of a control message: its place in the channel, from 1.
  std::uint64_t message = 0;
  ByteVector text;  // sealed
  std::array<std::uint8_t, crypto::kAeadTagBytes> tag{};
};

class PacketEnd {
 public:
  PacketEnd(VirtualClock& clock, keys::LinkRatchet& ratchet, const PacketPathConfig& config,
            crypto::AeadKind aead, std::uint64_t seed);
  void connect(PacketEnd& other) { other_ = &other; }

  // Sends control messages that are due, and one data packet if the ratchet allows it.
  void send_data(std::size_t bytes);

  std::optional<Error> failed;
  std::uint64_t opened = 0;
  std::uint64_t without_key = 0;  // arrived after their epoch's key had gone
  std::uint64_t not_opened = 0;   // had a key and did not fit it
  std::uint64_t wrong_epoch = 0;  // the low bits named another epoch than the sender's
  std::uint64_t reordered = 0;    // of an older epoch than the current one
  std::uint64_t lost = 0;

 private:
  void send_control();
  void transmit(std::uint64_t message);
  void send(keys::RecordClass kind, std::uint64_t message, ByteVector text);
  void receive(Packet packet);
  void deliver(std::uint64_t message, ByteVector body);
  void acknowledged(std::uint64_t message) { unacknowledged_.erase(message); }
  void run_deadlines();

  VirtualClock& clock_;
  keys::LinkRatchet& ratchet_;
  const PacketPathConfig config_;
  PacketEnd* other_ = nullptr;
  Prng random_;
  crypto::AeadSealer sealer_;
  crypto::AeadOpener opener_;
  std::uint64_t sealing_epoch_ = ~0ull;
  std::uint64_t sent_messages_ = 0;
  std::uint64_t taken_messages_ = 0;
  std::map<std::uint64_t, ByteVector> unacknowledged_;  // first byte: 0 OFFER, 1 ACK
  std::map<std::uint64_t, ByteVector> arrived_;         // beyond a gap
};

}  // namespace karst::sim
