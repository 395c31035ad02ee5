#include <sys/stat.h>
#include <unistd.h>

#include "lab/format.h"
#include "lab/peer.h"
#include "lab/run_command.h"

// Peers whose client is a SOCKS5 proxy.
namespace karst::lab {
namespace {

constexpr std::uint16_t kSshPort = 22;
constexpr std::uint16_t kShadowsocksPort = 8388;
constexpr std::uint16_t kV2RayPort = 443;

constexpr const char* kSshdFolder = "/run/sshd";
// A file of that name says that we made it.
constexpr const char* kMadeSshdFolder = "made-run-sshd";

std::string far_address() { return LabNetwork::address_v4(Side::far).text(); }

Peer::Problem prepare_ssh(const PeerPlace& place) {
  for (const char* name : {"host", "user"}) {
    if (run_command({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place.file(name)}).code !=
        0) {
      return "ssh-keygen made no key";
    }
  }
  // sshd wants this folder; a system that has never started one lacks it.
  if (::mkdir(kSshdFolder, 0755) == 0) {
    if (auto problem = write_secret(place.file(kMadeSshdFolder), "")) return problem;
  }
  const std::string config = "Port " + std::to_string(kSshPort) + "\nListenAddress " +
                             far_address() + "\nHostKey " + place.file("host") +
                             "\nAuthorizedKeysFile " + place.file("user.pub") +
                             "\nPidFile none\nStrictModes no\nUsePAM no\n"
                             "PasswordAuthentication no\nPermitRootLogin prohibit-password\n";
  if (auto problem = write_secret(place.file("sshd_config"), config)) return problem;
  return write_secret(place.file("known_hosts"),
                      far_address() + " " + read_text(place.file("host.pub")));
}

void clear_ssh(const std::string& folder) {
  if (::access((folder + "/" + kMadeSshdFolder).c_str(), F_OK) == 0) ::rmdir(kSshdFolder);
}

Peer openssh() {
  return {.name = "openssh",
          .programs = {"ssh", "sshd", "ssh-keygen"},
          .version = {"ssh", "-V"},
          .settings = "ssh -D; its default key exchange and cipher, no compression",
          .needs_root = true,
          .entry = PeerEntry::socks,
          .server_port = kSshPort,
          .prepare = prepare_ssh,
          .server =
              [](const PeerPlace& place) {
                return Peer::Argv{"sshd", "-D", "-e", "-f", place.file("sshd_config")};
              },
          .client =
              [](const PeerPlace& place) {
                return Peer::Argv{"ssh",
                                  "-F",
                                  "none",
                                  "-N",
                                  "-D",
                                  peer_entry().text(),
                                  "-p",
                                  std::to_string(kSshPort),
                                  "-i",
                                  place.file("user"),
                                  "-o",
                                  "IdentitiesOnly=yes",
                                  "-o",
                                  "BatchMode=yes",
                                  "-o",
                                  "StrictHostKeyChecking=yes",
                                  "-o",
                                  "GlobalKnownHostsFile=none",
                                  "-o",
                                  "UserKnownHostsFile=" + place.file("known_hosts"),
                                  "-o",
                                  "ExitOnForwardFailure=yes",
                                  "root@" + far_address()};
              },
          .furnish = nullptr,
          .clear = clear_ssh};
}

Peer::Problem prepare_shadowsocks(const PeerPlace& place) {
  return write_secret(
      place.file("both.json"),
      format(R"({"server":"%s","server_port":%u,"local_address":"%s","local_port":%u,)",
             far_address().c_str(), kShadowsocksPort, peer_entry().address.text().c_str(),
             peer_entry().port) +
          format(R"("password":"%s","method":"chacha20-ietf-poly1305","mode":"tcp_only"})",
                 random_word().c_str()));
}

Peer shadowsocks() {
  return {.name = "shadowsocks-libev",
          .programs = {"ss-server", "ss-local"},
          .version = {"ss-server", "-h"},
          .settings = "TCP, its default cipher chacha20-ietf-poly1305; else its defaults",
          .needs_root = false,
          .entry = PeerEntry::socks,
          .server_port = kShadowsocksPort,
          .prepare = prepare_shadowsocks,
          .server =
              [](const PeerPlace& place) {
                return Peer::Argv{"ss-server", "-c", place.file("both.json")};
              },
          .client =
              [](const PeerPlace& place) {
                return Peer::Argv{"ss-local", "-c", place.file("both.json")};
              },
          .furnish = nullptr};
}

// A version 4 UUID (RFC 9562) of random digits.
std::string random_uuid() {
  std::string text = random_word();
  text[12] = '4';
  text[16] = '8';
  for (const std::size_t place : {20u, 16u, 12u, 8u}) text.insert(place, "-");
  return text;
}

Peer::Problem prepare_v2ray(const PeerPlace& place) {
  if (auto problem = make_certificate(place, "far")) return problem;
  const std::string user = random_uuid();
  const std::string stream =
      R"("streamSettings":{"network":"ws","security":"tls","wsSettings":{"path":"/lab"},)"
      R"("tlsSettings":)";
  const std::string server =
      R"({"log":{"loglevel":"warning"},"inbounds":[{"listen":")" + far_address() + R"(","port":)" +
      std::to_string(kV2RayPort) + R"(,"protocol":"vmess","settings":{"clients":[{"id":")" + user +
      R"(","alterId":0}]},)" + stream + R"({"certificates":[{"certificateFile":")" +
      place.file("far.crt") + R"(","keyFile":")" + place.file("far.key") +
      R"("}]}}}],"outbounds":[{"protocol":"freedom"}]})";
  const std::string client =
      R"({"log":{"loglevel":"warning"},"inbounds":[{"listen":")" + peer_entry().address.text() +
      R"(","port":)" + std::to_string(peer_entry().port) +
      R"(,"protocol":"socks","settings":{"auth":"noauth","udp":false}}],"outbounds":[{)"
      R"("protocol":"vmess","settings":{"vnext":[{"address":")" +
      far_address() + R"(","port":)" + std::to_string(kV2RayPort) + R"(,"users":[{"id":")" + user +
      R"(","alterId":0,"security":"auto"}]}]},)" + stream +
      R"({"serverName":"far.example","disableSystemRoot":true,"certificates":[{"usage":"verify",)"
      R"("certificateFile":")" +
      place.file("far.crt") + R"("}]}}}]})";
  if (auto problem = write_secret(place.file("server.json"), server)) return problem;
  return write_secret(place.file("client.json"), client);
}

// Its fifth version wants a command's name first.
Peer::Argv v2ray_end(const PeerPlace& place, const std::string& config) {
  if (place.version.starts_with("V2Ray 4")) return {"v2ray", "-config", place.file(config)};
  return {"v2ray", "run", "-config", place.file(config)};
}

Peer v2ray() {
  return {.name = "v2ray",
          .programs = {"v2ray", "openssl"},
          .version = {"v2ray", "-version"},
          .settings =
              "VMess (AEAD header, security auto) in WebSocket in TLS, certificate "
              "verified, no mux; else its defaults",
          .needs_root = false,
          .entry = PeerEntry::socks,
          .server_port = kV2RayPort,
          .prepare = prepare_v2ray,
          .server = [](const PeerPlace& place) { return v2ray_end(place, "server.json"); },
          .client = [](const PeerPlace& place) { return v2ray_end(place, "client.json"); },
          .furnish = nullptr};
}

}  // namespace

std::vector<Peer> proxy_peers() { return {openssh(), shadowsocks(), v2ray()}; }

}  // namespace karst::lab
