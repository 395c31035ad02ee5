#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "keys/client_registry.h"
#include "stream/client_connection.h"
#include "stream/cover/site.h"
#include "stream/server_connection.h"
#include "stream/tls/certificate.h"

namespace karst::stream {

// A trace that remembers names.
class TraceLog final : public TraceSink {
 public:
  void record(const TraceKind& kind, std::span<const TraceField> fields) override {
    std::string line(kind.name);
    for (const auto& field : fields) {
      line += " " + std::string(field.key) + "=";
      if (const auto* text = std::get_if<std::string_view>(&field.value)) {
        line += *text;
      } else {
        line += std::to_string(std::get<std::int64_t>(field.value));
      }
    }
    lines.push_back(line);
  }
  bool has(std::string_view part) const {
    for (const auto& line : lines) {
      if (line.find(part) != line.npos) return true;
    }
    return false;
  }
  std::vector<std::string> lines;
};

inline constexpr TimePoint kStart{std::chrono::seconds(1000)};

// A server with everything that connections share, on a clock of its own.
struct ServerForTest {
  ServerForTest()
      : identity(keys::generate_identity(entropy)),
        certificate(tls::make_self_signed(std::vector<std::string>{"cover.example"},
                                          UnixTime{1'700'000'000}, UnixTime{2'000'000'000})),
        tls(tls::TlsContext::server({certificate.certificate_pem, certificate.key_pem}).value()),
        front(keys::FrontSecret::random(entropy), 1),
        site(cover::builtin_site(UnixTime{1'700'000'000}), std::string(cover::kDefaultSocketPath)) {
    shared.tls = &tls;
    shared.site = &site;
    shared.socket_path = cover::kDefaultSocketPath;
    shared.front = &front;
    shared.link.handshake.identity = &identity;
    shared.link.registry = &registry;
    shared.link.handshakes = &handshakes;
    shared.link.budget = &budget;
    shared.link.entropy = &entropy;
    shared.scratch = &scratch;
    shared.visitors = &visitors;
    shared.trace = &trace;
  }

  // Carries out registry changes as a disk that always works would.
  void store_registry() {
    while (registry.poll_write(kStart)) registry.written(keys::WriteOutcome::durable, kStart);
  }
  keys::ClientPsk add_client(const keys::NodeId& node, const wire::ClientLimits& limits = {}) {
    auto psk = keys::ClientPsk::random(entropy);
    CHECK(registry.add_client(node, "alice", psk.duplicate(), limits).ok());
    store_registry();
    while (registry.poll_outcome()) {
    }
    return psk;
  }

  SeededEntropy entropy{7};
  keys::Identity identity;
  tls::SelfSigned certificate;
  tls::TlsContext tls;
  keys::FrontSecrets front;
  cover::Site site;
  keys::ClientRegistry registry;
  keys::HandshakeLimiter handshakes{1'000};
  MemoryBudget budget{1ull << 30};
  MemoryBudget visitors{1ull << 30};
  Scratch scratch;
  TraceLog trace;
  ServerShared shared;
};

struct ClientForTest {
  explicit ClientForTest(ServerForTest& server, std::uint64_t seed = 8)
      : entropy(seed),
        identity(keys::generate_identity(entropy)),
        tls(tls::TlsContext::client(
                {tls::PinnedKey{tls::spki_pin(server.certificate.certificate_pem).value()},
                 "cover.example"})
                .value()) {
    config.tls = &tls;
    config.authority = "cover.example";
    config.socket_path = cover::kDefaultSocketPath;
    config.link.handshake.identity = &identity;
    config.link.handshake.server = server.identity.node_id();
    config.link.budget = &budget;
    config.link.entropy = &entropy;
    config.scratch = &scratch;
  }

  SeededEntropy entropy;
  keys::Identity identity;
  tls::TlsContext tls;
  MemoryBudget budget{1ull << 30};
  Scratch scratch;
  ClientConnectionConfig config;
};

// One TCP connection without delay between a client's and a server's end, on virtual time.
class ConnectionPair {
 public:
  static constexpr UnixTime kWall{1'750'000'000};

  ConnectionPair(ServerForTest& server_parts, ClientForTest& client_parts, keys::FrontSecret front,
                 keys::ClientCredential credential)
      : server_parts_(server_parts),
        server(server_parts.shared, cover::ConnectionKey{1}, {IpAddress::v4({192, 0, 2, 1}), 50000},
               moment()),
        client(client_parts.config, std::move(front), std::move(credential), moment()) {}

  Moment moment() const { return {now, kWall}; }

  // Moves bytes both ways until nothing moves; at most `piece` bytes at a time.
  void settle(std::size_t piece = SIZE_MAX) {
    for (bool moved = true; moved;) {
      moved = move(client, server, to_server, piece);
      moved = move(server, client, to_client, piece) || moved;
      server_parts_.store_registry();
      while (const auto outcome = server_parts_.registry.poll_outcome()) {
        if (server.http2() != nullptr) server.http2()->handle_outcome(*outcome, now);
        moved = true;
      }
      if (server.http2() != nullptr && server.http2()->poll_peer_up()) peer_ups++;
      while (auto event = client.poll_event()) {
        if (std::holds_alternative<ClientTunnel::Up>(*event)) {
          ups++;
        } else {
          enrolled.emplace(std::move(std::get<ClientTunnel::Enrolled>(*event).psk));
        }
        moved = true;
      }
      if (client.link() != nullptr) client.resume();
      if (server.http2() != nullptr) server.http2()->resume_tunnel();
    }
  }

  // Everything that one end has to say reaches the other; nothing comes back.
  void send_all_to_server() {
    while (move(client, server, to_server, SIZE_MAX)) {
    }
    if (server.http2() != nullptr && server.http2()->poll_peer_up()) peer_ups++;
  }
  void send_all_to_client() {
    while (move(server, client, to_client, SIZE_MAX)) {
    }
  }

  TimePoint now = kStart;
  std::uint64_t to_server = 0;
  std::uint64_t to_client = 0;
  int ups = 0;
  int peer_ups = 0;
  std::optional<keys::ClientPsk> enrolled;

 private:
  bool move(CarrierConnection& from, CarrierConnection& to, std::uint64_t& count,
            std::size_t piece) {
    from.produce(moment());
    Bytes run;
    if (from.gather_output({&run, 1}) == 0) return false;
    if (!to.wants_input()) {
      from.consume_output(run.size());
      return true;
    }
    const MutableBytes space = to.input_space();
    const std::size_t size = std::min({run.size(), space.size(), piece});
    copy_bytes(space, run.first(size));
    from.consume_output(size);
    count += size;
    to.commit_input(size, moment());
    return true;
  }

  ServerForTest& server_parts_;

 public:
  ServerConnection server;
  ClientConnection client;
};

}  // namespace karst::stream
