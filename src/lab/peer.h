#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/cell.h"
#include "lab/lab_network.h"

namespace karst::lab {

// For what a peer is started, and where its files are.
struct PeerPlace {
  const LabNetwork& network;
  const Cell& cell;
  const std::string& folder;   // its own; only we can read it
  const std::string& version;  // of the peer, as it says itself

  std::string file(const std::string& name) const { return folder + "/" + name; }
};

enum class PeerEntry : std::uint8_t {
  socks,      // a SOCKS5 proxy at peer_entry() in the near namespace
  forwarded,  // peer_entry() leads to the load's target
  inner       // the target is the far end's address inside the tunnel
};

// Another program that carries a load, and how it is started in the lab. One function a step; each
// gets the same place. A step that can fail returns a sentence if it does.
struct Peer {
  using Problem = std::optional<std::string>;
  using Argv = std::vector<std::string>;

  std::string name;
  std::vector<std::string> programs;  // all must be there
  Argv version;                       // prints it
  std::string settings;               // those that matter, for a person
  bool needs_root = false;            // root of a user namespace is not enough
  PeerEntry entry = PeerEntry::socks;
  std::uint16_t server_port = 0;  // the client is started when the server has this; 0: at once
  // Writes keys and configurations.
  Problem (*prepare)(const PeerPlace& place) = nullptr;
  // In the far and in the near namespace. Both stay in the foreground.
  Argv (*server)(const PeerPlace& place) = nullptr;
  Argv (*client)(const PeerPlace& place) = nullptr;
  // Once both run; null: nothing is left to do.
  Problem (*furnish)(const PeerPlace& place) = nullptr;
  // When both have ended, of what was made outside of `folder`; null: there is nothing.
  void (*clear)(const std::string& folder) = nullptr;
};

// Where the client of a peer with a proxy or a forwarded port listens, in the near namespace.
Endpoint peer_entry();
// An end's address inside a peer's tunnel.
IpAddress peer_inner_address(Side side);

// All that the lab knows, installed or not.
std::vector<Peer> all_peers();
std::vector<Peer> tun_peers();    // WireGuard, OpenVPN
std::vector<Peer> proxy_peers();  // OpenSSH, shadowsocks, V2Ray
std::vector<Peer> port_peers();   // stunnel, kcptun

// What peers have in common. Each returns a sentence if it fails.
// A file with mode 0600.
std::optional<std::string> write_secret(const std::string& path, const std::string& text);
// A key and a certificate for NAME.example that the key signs itself: NAME.key, NAME.crt.
std::optional<std::string> make_certificate(const PeerPlace& place, const std::string& name);
// 128 random bits as text that JSON, INI and command lines take as it is.
std::string random_word();

// Whether a table of /proc/PID/net (tcp, tcp6, udp, udp6) has an open socket on `port` that waits
// for anyone.
bool lists_port(const std::string& table, std::uint16_t port);

// The line of a program's answer to a question for its version that has a number in it, or the
// first; at most 60 bytes.
std::string version_line(const std::string& text);

}  // namespace karst::lab
