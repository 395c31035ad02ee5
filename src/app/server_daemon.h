#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/control_request.h"
#include "app/files.h"
#include "app/log.h"
#include "app/registry_file.h"
#include "driver/server_node.h"
#include "keys/handshake_limiter.h"
#include "platform/linux/control_server.h"
#include "platform/linux/event_loop.h"
#include "platform/linux/os_entropy.h"
#include "stream/cover/site.h"

namespace karst::app {

// Everything that a running server is made of, wired. load() reads the files and opens nothing;
// start() begins to listen.
class ServerDaemon {
 public:
  static Outcome<std::unique_ptr<ServerDaemon>> load(const Paths& paths,
                                                     const ServerSettings& settings,
                                                     platform::EventLoop& loop, Log& log);
  // Through load() only.
  ServerDaemon(const Paths& paths, ServerSettings settings, keys::Identity identity,
               keys::FrontSecrets front, keys::ClientRegistry registry, stream::tls::TlsContext tls,
               wire::TlsPin pin, platform::EventLoop& loop, Log& log);
  ~ServerDaemon();

  Outcome<void> start();
  // Clients, certificate, egress rules and log level anew, without dropping anyone. What is wrong
  // in the files is logged and leaves the old values.
  void reload();
  void drain(driver::Callback drained);
  std::string status();
  // Answers a request of the control socket, at once or when it is on disk.
  void handle_control(const ControlRequest& request, platform::ControlReply reply);

 private:
  struct WaitingReply {
    keys::ChangeTicket ticket;
    std::optional<crypto::SecretBytes> invite;  // the answer, if it is one
    platform::ControlReply reply;
  };

  Outcome<void> make_site();
  void handle_outcome(const keys::ChangeOutcome& outcome);
  void invite(const ControlRequest& request, platform::ControlReply reply);
  void revoke(const ControlRequest& request, platform::ControlReply reply);

  const Paths paths_;
  ServerSettings settings_;
  platform::EventLoop& loop_;
  Log& log_;
  platform::OsEntropy entropy_;
  keys::Identity identity_;
  keys::FrontSecrets front_;
  keys::ClientRegistry registry_;
  stream::tls::TlsContext tls_;
  wire::TlsPin pin_;
  keys::HandshakeLimiter handshakes_;
  MemoryBudget budget_;
  MemoryBudget visitors_;
  stream::Scratch scratch_;
  stream::proxy::EgressPolicy egress_;
  std::optional<stream::cover::Site> site_;
  stream::ServerShared shared_;
  std::unique_ptr<platform::Worker> worker_;
  std::optional<RegistryFile> store_;
  std::optional<driver::ServerNode> node_;
  std::vector<WaitingReply> waiting_;
  bool draining_ = false;
};

// How the link settings look to the handshake and the ratchet.
keys::LocalAdvert to_advert(const LinkSettings& link);
keys::DepthMode to_depth(const LinkSettings& link);
stream::mux::Limits to_limits(const LimitSettings& limits);
// What `karst clients` shows; also without a daemon.
std::string clients_json(const keys::ClientRegistry& registry, UnixTime now);

}  // namespace karst::app
