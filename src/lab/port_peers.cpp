#include "lab/kcp_window.h"
#include "lab/peer.h"

// Peers whose client is a port that leads to the load's target.
namespace karst::lab {
namespace {

constexpr std::uint16_t kStunnelPort = 8443;
constexpr std::uint16_t kKcpPort = 29'900;

Peer::Problem prepare_stunnel(const PeerPlace& place) {
  if (auto problem = make_certificate(place, "far")) return problem;
  const std::string at = Endpoint{LabNetwork::address_v4(Side::far), kStunnelPort}.text();
  const std::string common = "foreground = yes\npid =\nsyslog = no\n[lab]\n";
  if (auto problem = write_secret(
          place.file("server.conf"),
          common + "accept = " + at + "\nconnect = " + load_target().text() +
              "\ncert = " + place.file("far.crt") + "\nkey = " + place.file("far.key") + "\n")) {
    return problem;
  }
  return write_secret(
      place.file("client.conf"),
      common + "client = yes\naccept = " + peer_entry().text() + "\nconnect = " + at +
          "\nverifyChain = yes\nCAfile = " + place.file("far.crt") + "\ncheckHost = far.example\n");
}

Peer stunnel() {
  return {
      .name = "stunnel",
      .programs = {"stunnel", "openssl"},
      .version = {"stunnel", "-version"},
      .settings = "TLS to the target, certificate verified; else its defaults",
      .needs_root = false,
      .entry = PeerEntry::forwarded,
      .server_port = kStunnelPort,
      .prepare = prepare_stunnel,
      .server =
          [](const PeerPlace& place) { return Peer::Argv{"stunnel", place.file("server.conf")}; },
      .client =
          [](const PeerPlace& place) { return Peer::Argv{"stunnel", place.file("client.conf")}; },
      .furnish = nullptr};
}

Peer::Problem prepare_kcptun(const PeerPlace& place) {
  const std::string at = Endpoint{LabNetwork::address_v4(Side::far), kKcpPort}.text();
  const std::string window = std::to_string(kcp_window(place.cell.rtt_ms, place.cell.rate_mbit));
  const std::string buffer = std::to_string(kcp_buffer(place.cell.rtt_ms, place.cell.rate_mbit));
  const std::string common = R"("key":")" + random_word() + R"(","crypt":"aes","mode":"fast",)" +
                             R"("nocomp":true,"quiet":true,"sndwnd":)" + window + R"(,"rcvwnd":)" +
                             window + R"(,"smuxbuf":)" + buffer + R"(,"streambuf":)" + buffer + "}";
  if (auto problem =
          write_secret(place.file("server.json"), R"({"listen":")" + at + R"(","target":")" +
                                                      load_target().text() + R"(",)" + common)) {
    return problem;
  }
  return write_secret(place.file("client.json"), R"({"localaddr":")" + peer_entry().text() +
                                                     R"(","remoteaddr":")" + at + R"(",)" + common);
}

Peer kcptun() {
  return {.name = "kcptun",
          .programs = {"kcptun-server", "kcptun-client"},
          .version = {"kcptun-server", "--version"},
          .settings =
              "UDP, mode fast, aes, FEC 10+3, no compression, windows and buffers of twice what "
              "the path holds (defaults 128, 512 and 4 MiB would limit it); else its defaults",
          .needs_root = false,
          .entry = PeerEntry::forwarded,
          .server_port = kKcpPort,
          .prepare = prepare_kcptun,
          .server =
              [](const PeerPlace& place) {
                return Peer::Argv{"kcptun-server", "-c", place.file("server.json")};
              },
          .client =
              [](const PeerPlace& place) {
                return Peer::Argv{"kcptun-client", "-c", place.file("client.json")};
              },
          .furnish = nullptr};
}

}  // namespace

std::vector<Peer> port_peers() { return {stunnel(), kcptun()}; }

}  // namespace karst::lab
