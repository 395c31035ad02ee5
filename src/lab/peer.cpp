#include "lab/peer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "crypto/hex.h"
#include "lab/run_command.h"
#include "platform/linux/atomic_write.h"
#include "platform/linux/os_entropy.h"

namespace karst::lab {
namespace {

constexpr std::uint16_t kEntryPort = 1081;
constexpr std::size_t kVersionBytesMax = 60;
// States of /proc/net/tcp and /proc/net/udp: listening, and unconnected.
constexpr std::string_view kListening = "0A";
constexpr std::string_view kUnconnected = "07";

}  // namespace

Endpoint peer_entry() { return {IpAddress::v4({127, 0, 0, 1}), kEntryPort}; }

// Beside the wire's own addresses, in the same range for benchmarks.
IpAddress peer_inner_address(Side side) {
  return IpAddress::v4({198, 18, 1, static_cast<std::uint8_t>(side == Side::near ? 1 : 2)});
}

std::vector<Peer> all_peers() {
  std::vector<Peer> out;
  for (const auto& some : {tun_peers(), proxy_peers(), port_peers()}) {
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

std::optional<std::string> write_secret(const std::string& path, const std::string& text) {
  if (platform::atomic_create(path, as_bytes(text), platform::FileAccess::secret).ok()) {
    return std::nullopt;
  }
  return "cannot write " + path;
}

std::optional<std::string> make_certificate(const PeerPlace& place, const std::string& name) {
  // The program makes the key's file with mode 0600.
  const CommandOutput made =
      run_command({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                   "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=" + name + ".example",
                   "-addext", "subjectAltName=DNS:" + name + ".example", "-days", "30", "-keyout",
                   place.file(name + ".key"), "-out", place.file(name + ".crt")});
  if (made.code == 0) return std::nullopt;
  return "openssl made no certificate";
}

std::string random_word() {
  platform::OsEntropy entropy;
  std::array<std::uint8_t, 16> bytes{};
  entropy.fill(bytes);
  std::string text(bytes.size() * 2, ' ');
  crypto::hex_encode(bytes, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  return text;
}

bool lists_port(const std::string& table, std::uint16_t port) {
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);  // the heading
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string slot;
    std::string local;
    std::string remote;
    std::string state;
    fields >> slot >> local >> remote >> state;
    const std::size_t colon = local.rfind(':');
    if (colon == std::string::npos || (state != kListening && state != kUnconnected)) continue;
    unsigned found = 0;
    std::istringstream(local.substr(colon + 1)) >> std::hex >> found;
    if (found == port) return true;
  }
  return false;
}

std::string version_line(const std::string& text) {
  std::istringstream lines(text);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (first.empty()) first = line;
    if (std::ranges::any_of(line, [](unsigned char c) { return std::isdigit(c) != 0; })) {
      first = line;
      break;
    }
  }
  first.erase(0, std::min(first.find_first_not_of(" \t"), first.size()));
  std::erase_if(first, [](unsigned char c) { return c < 0x20 || c > 0x7e; });
  return first.substr(0, kVersionBytesMax);
}

}  // namespace karst::lab
