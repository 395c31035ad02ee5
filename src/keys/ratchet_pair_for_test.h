#pragma once

#include <cstdint>
#include <utility>

#include "base/prng.h"
#include "keys/ratchet.h"

namespace karst::keys {

// Both ends of one link, for tests: made from the same secrets, as a handshake would leave them.
struct RatchetPair {
  static EpochRoot root(std::uint8_t fill) { return secret<EpochRoot>(fill); }
  static PskLink psk() { return secret<PskLink>(0x33); }
  template <class SecretType>
  static SecretType secret(std::uint8_t fill) {
    SecretType out;
    for (auto& byte : out.expose_mutable()) byte = fill++;
    return out;
  }
  static LinkParameters parameters(EpochPolicy policy = kExtreme, std::uint16_t window = 8,
                                   Carrier carrier = Carrier::stream) {
    LinkParameters out;
    out.policy = policy;
    out.rekey_window = window;
    out.carrier = carrier;
    return out;
  }

  RatchetPair(const LinkParameters& parameters, DepthMode depth, TimePoint now,
              std::uint64_t seed = 1)
      : RatchetPair(parameters, parameters, depth, now, seed) {}
  // A client that keeps other rules than the server.
  RatchetPair(const LinkParameters& of_client, const LinkParameters& of_server, DepthMode depth,
              TimePoint now, std::uint64_t seed = 1)
      : client_entropy(seed),
        server_entropy(seed + 1),
        client({Direction::client_to_server, of_client, depth}, root(0x11), root(0x22), psk(),
               client_entropy, now),
        server({Direction::server_to_client, of_server, depth}, root(0x11), root(0x22), psk(),
               server_entropy, now) {}

  SeededEntropy client_entropy;
  SeededEntropy server_entropy;
  LinkRatchet client;
  LinkRatchet server;
};

}  // namespace karst::keys
