#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/server_session.h"
#include "driver/site_backend.h"
#include "driver/source_counts.h"
#include "keys/client_registry.h"
#include "stream/cover/site.h"

namespace karst::driver {

inline constexpr TraceKind kTraceListening{TraceLevel::info, "listening", "accepting connections"};
inline constexpr TraceKind kTraceTooManyConnections{TraceLevel::warning, "too-many-connections",
                                                    "the limit of open connections is reached"};
inline constexpr TraceKind kTraceTooManyOfSource{
    TraceLevel::warning, "too-many-of-address",
    "an address has as many connections as it may; a further one was closed"};
inline constexpr TraceKind kTraceTooManyLinks{
    TraceLevel::warning, "too-many-links",
    "a client has more links than it may; the oldest was ended"};
inline constexpr TraceKind kTraceTooMuchMemory{
    TraceLevel::warning, "too-much-memory",
    "visitors of the site held too much memory; the connection that held most was ended"};
inline constexpr TraceKind kTraceEnrolled{TraceLevel::info, "registry-stored",
                                          "a change of clients or invites is on disk"};
inline constexpr TraceKind kTraceNotStored{
    TraceLevel::error, "registry-not-stored",
    "the client registry could not be written: nobody new is enrolled until it can"};

// Where the client registry is kept. The daemon writes a file, a test what it likes.
class RegistryStore {
 public:
  // Stores all of the text so that it survives a crash, or changes nothing. Calls back once,
  // before or after it returns.
  virtual void store(const crypto::SecretBytes& text,
                     std::move_only_function<void(keys::WriteOutcome)> done) = 0;

 protected:
  ~RegistryStore() = default;
};

struct ServerNodeConfig {
  std::vector<Endpoint> listen;
  std::size_t connections_max = 4096;
  // Of one source, without those that are a client's.
  std::size_t connections_per_source_max = 512;
  // Beyond it a client's oldest link ends: a new one often takes the place of one that is dead.
  std::size_t links_per_client_max = 16;
  // For a site that is a reverse proxy.
  Endpoint backend_address;
};

// What a server is made of; all borrowed and outliving the node. `stream` and `egress` may be
// changed between turns (a reload): new connections see the new values.
struct ServerNodeParts {
  Ports* ports = nullptr;
  stream::ServerShared* stream = nullptr;
  stream::cover::Site* site = nullptr;
  stream::proxy::EgressPolicy* egress = nullptr;
  keys::ClientRegistry* registry = nullptr;
  RegistryStore* store = nullptr;
};

// A server: its listeners, its sessions, and the chores between them (registry writes, the site's
// waiting requests, the once-a-second samples).
class ServerNode final : private TcpListener::Handler, private ServerSession::Owner {
 public:
  ServerNode(ServerNodeConfig config, const ServerNodeParts& parts);
  ~ServerNode();

  // Opens all listeners, or none: the first error ends it, with the address that it is about.
  struct ListenError {
    Error error;
    Endpoint at;
  };
  std::optional<ListenError> listen();
  std::vector<Endpoint> listening() const;

  // The registry was changed from outside (invite, revoke, reload): writes it when due, ends the
  // sessions of clients that are no longer allowed. `done` per ticket through outcome_handler.
  void registry_changed();
  using OutcomeHandler = std::move_only_function<void(const keys::ChangeOutcome&)>;
  void set_outcome_handler(OutcomeHandler handler) { outcome_ = std::move(handler); }

  // Stops listening and lets the open streams end; drained() is called once all sessions are gone.
  void drain(Callback drained);

  // For status: every session with a peer.
  std::vector<ServerSession*> peers();
  std::size_t connections() const { return sessions_.size(); }

 private:
  void on_accept(std::unique_ptr<TcpStream> stream) override;
  void on_accept_rests() override { (*parts_.stream->trace)(kTraceTooManyFiles); }
  void on_session_peer_up(ServerSession& session) override;
  void on_session_closed(ServerSession& session) override;
  void on_session_progress() override { chores_->request(); }

  void run_chores();
  void write_registry();
  // While visitors hold more than they may, ends who holds most.
  void bound_memory();
  void sample();
  bool allowed(const keys::NodeId& node) const;
  void end_oldest_link(const keys::NodeId& node);

  const ServerNodeConfig config_;
  const ServerNodeParts parts_;
  ServerSessionShared shared_;
  std::unique_ptr<EndOfTurn> chores_;
  std::unique_ptr<Timer> second_;
  std::vector<std::unique_ptr<TcpListener>> listeners_;
  std::optional<SiteBackend> backend_;
  std::map<stream::cover::ConnectionKey, std::unique_ptr<ServerSession>> sessions_;
  SourceCounts strangers_;
  std::uint64_t next_key_ = 1;
  OutcomeHandler outcome_;
  Callback drained_;
};

}  // namespace karst::driver
