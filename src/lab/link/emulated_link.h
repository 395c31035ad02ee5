#pragma once

#include <cstdint>
#include <optional>

#include "lab/link/address_translator.h"
#include "lab/link/direction.h"
#include "lab/link/link_settings.h"

namespace karst::lab {

// The near side is the one whose packets go forward, and behind the address translator.
enum class Side : std::uint8_t { near, far };
inline constexpr Side other(Side side) { return side == Side::near ? Side::far : Side::near; }

// A wire between two sides, without any I/O. Whoever runs it hands in what each side's device
// gives, and hands out to each side what is due, no later than next_deadline() asks.
class EmulatedLink {
 public:
  EmulatedLink(const LinkSettings& settings, TimePoint now);

  // `bytes` as a TUN device with a virtio header gives them. What is no IP packet is counted and
  // dropped.
  void handle_input(Side from, ByteVector bytes, TimePoint now);
  // Runs the events that are due.
  void handle_deadline(TimePoint now);
  // What `to` gets now, one packet at a time, with the virtio header.
  std::optional<ByteVector> poll_output(Side to, TimePoint now);
  std::optional<TimePoint> next_deadline() const;

  // As if new: nothing under way, the same decisions again, events counted from `now`.
  void restart(TimePoint now);
  // Other settings from `now` on, and events counted from it. What is under way arrives as it would
  // have; the translator's mappings stay; an outage is over; counters start anew.
  void change(const LinkSettings& settings, TimePoint now);

  const DirectionCounters& counters(Side from) const { return direction(from).counters(); }
  // Packets that a device gave and that were none, and those the translator had no mapping for.
  std::uint64_t malformed() const { return malformed_; }
  std::uint64_t unmapped() const { return unmapped_; }

 private:
  Direction& direction(Side from) { return from == Side::near ? forward_ : back_; }
  const Direction& direction(Side from) const { return from == Side::near ? forward_ : back_; }

  LinkSettings settings_;
  TimePoint start_;
  Direction forward_;
  Direction back_;
  AddressTranslator translator_;
  std::size_t next_event_ = 0;
  std::uint64_t malformed_ = 0;
  std::uint64_t unmapped_ = 0;
};

}  // namespace karst::lab
