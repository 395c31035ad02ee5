#include <unistd.h>

#include <filesystem>

#include "lab/peer.h"
#include "lab/run_command.h"
#include "platform/linux/clock.h"
#include "platform/linux/interface_setup.h"

// Peers with a TUN device at both ends.
namespace karst::lab {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::uint16_t kWireGuardPort = 51'820;
constexpr std::uint16_t kOpenVpnPort = 1194;
constexpr std::uint32_t kWireGuardMtu = 1420;
constexpr Duration kPatience = 10s;

const char* end_name(Side side) { return side == Side::near ? "near" : "far"; }

// The device's control socket has its name, in a folder that all namespaces share.
std::string wireguard_device(Side side) {
  return (side == Side::near ? "kwgn" : "kwgf") + std::to_string(::getpid());
}

std::string first_line(const std::string& path) {
  const std::string text = read_text(path);
  return text.substr(0, text.find('\n'));
}

Peer::Problem prepare_wireguard(const PeerPlace& place) {
  for (const Side side : {Side::near, Side::far}) {
    const std::string key = place.file(std::string(end_name(side)) + ".key");
    const CommandOutput made =
        run_command({"sh", "-c", "umask 077; wg genkey > \"$1\" && wg pubkey < \"$1\" > \"$1.pub\"",
                     "sh", key});
    if (made.code != 0) return "wg made no key";
  }
  for (const Side side : {Side::near, Side::far}) {
    std::string text = "[Interface]\nPrivateKey = " +
                       first_line(place.file(std::string(end_name(side)) + ".key")) + "\n";
    if (side == Side::far) text += "ListenPort = " + std::to_string(kWireGuardPort) + "\n";
    text += "[Peer]\nPublicKey = " +
            first_line(place.file(std::string(end_name(other(side))) + ".key.pub")) +
            "\nAllowedIPs = " + peer_inner_address(other(side)).text() + "/32\n";
    if (side == Side::near) {
      text +=
          "Endpoint = " + Endpoint{LabNetwork::address_v4(Side::far), kWireGuardPort}.text() + "\n";
    }
    if (auto problem = write_secret(place.file(std::string(end_name(side)) + ".conf"), text)) {
      return problem;
    }
  }
  return std::nullopt;
}

Peer::Problem furnish_wireguard(const PeerPlace& place) {
  for (const Side side : {Side::far, Side::near}) {
    const std::string device = wireguard_device(side);
    const TimePoint deadline = platform::monotonic_now() + kPatience;
    while (!fs::exists("/var/run/wireguard/" + device + ".sock")) {
      if (platform::monotonic_now() > deadline) return "wireguard-go makes no device";
      platform::wait_until(platform::monotonic_now() + 20ms);
    }
    const platform::NetNamespace& where = place.network.at(side);
    if (run_command({"wg", "setconf", device, place.file(std::string(end_name(side)) + ".conf")},
                    &where)
            .code != 0) {
      return "wg takes no settings";
    }
    const auto inside = where.enter();
    if (!inside.ok() || !platform::set_up_interface({.name = device,
                                                     .mtu = kWireGuardMtu,
                                                     .queue_length = 0,
                                                     .addresses = {{peer_inner_address(side), 24}}})
                             .ok()) {
      return "WireGuard's device takes no address";
    }
  }
  return std::nullopt;
}

Peer wireguard() {
  return {.name = "wireguard-go",
          .programs = {"wireguard-go", "wg"},
          .version = {"wireguard-go", "--version"},
          .settings = "UDP, TUN with MTU 1420; else its defaults",
          .needs_root = true,
          .entry = PeerEntry::inner,
          .server_port = 0,
          .prepare = prepare_wireguard,
          .server =
              [](const PeerPlace&) {
                return Peer::Argv{"wireguard-go", "-f", wireguard_device(Side::far)};
              },
          .client =
              [](const PeerPlace&) {
                return Peer::Argv{"wireguard-go", "-f", wireguard_device(Side::near)};
              },
          .furnish = furnish_wireguard};
}

Peer::Problem prepare_openvpn(const PeerPlace& place) {
  for (const Side side : {Side::near, Side::far}) {
    if (auto problem = make_certificate(place, end_name(side))) return problem;
  }
  return std::nullopt;
}

// `protocol`: as this end calls it.
Peer::Argv openvpn_end(const PeerPlace& place, Side side, const std::string& protocol) {
  const std::string own = end_name(side);
  const std::string far = LabNetwork::address_v4(Side::far).text();
  const std::string port = std::to_string(kOpenVpnPort);
  Peer::Argv out{"openvpn",
                 "--dev",
                 "tun",
                 "--proto",
                 protocol,
                 "--ifconfig",
                 peer_inner_address(side).text(),
                 peer_inner_address(other(side)).text()};
  const Peer::Argv keys{"--ca",           place.file(std::string(end_name(other(side))) + ".crt"),
                        "--cert",         place.file(own + ".crt"),
                        "--key",          place.file(own + ".key"),
                        "--data-ciphers", "AES-256-GCM",
                        "--verb",         "1"};
  out.insert(out.end(), keys.begin(), keys.end());
  const Peer::Argv role =
      side == Side::far
          ? Peer::Argv{"--tls-server", "--dh", "none", "--local", far, "--port", port}
          : Peer::Argv{"--tls-client", "--nobind", "--remote", far, port, "--connect-retry", "1"};
  out.insert(out.end(), role.begin(), role.end());
  return out;
}

Peer openvpn_udp() {
  return {.name = "openvpn-udp",
          .programs = {"openvpn", "openssl"},
          .version = {"openvpn", "--version"},
          .settings = "UDP, TUN, TLS, AES-256-GCM; else its defaults",
          .needs_root = false,
          .entry = PeerEntry::inner,
          .server_port = kOpenVpnPort,
          .prepare = prepare_openvpn,
          .server = [](const PeerPlace& place) { return openvpn_end(place, Side::far, "udp4"); },
          .client = [](const PeerPlace& place) { return openvpn_end(place, Side::near, "udp4"); },
          .furnish = nullptr};
}

Peer openvpn_tcp() {
  Peer out = openvpn_udp();
  out.name = "openvpn-tcp";
  out.settings = "TCP, TUN, TLS, AES-256-GCM; else its defaults";
  out.server = [](const PeerPlace& place) { return openvpn_end(place, Side::far, "tcp4-server"); };
  out.client = [](const PeerPlace& place) { return openvpn_end(place, Side::near, "tcp4-client"); };
  return out;
}

}  // namespace

std::vector<Peer> tun_peers() { return {wireguard(), openvpn_udp(), openvpn_tcp()}; }

}  // namespace karst::lab
