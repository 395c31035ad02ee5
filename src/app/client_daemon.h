#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/control_request.h"
#include "app/files.h"
#include "app/log.h"
#include "driver/client_node.h"
#include "driver/proxy_port.h"
#include "platform/linux/control_server.h"
#include "platform/linux/event_loop.h"
#include "platform/linux/os_entropy.h"

namespace karst::app {

// Everything that a running client is made of, wired. load() reads the files and opens nothing;
// start() listens for local applications and dials the server.
class ClientDaemon {
 public:
  static Outcome<std::unique_ptr<ClientDaemon>> load(const Paths& paths,
                                                     const ClientSettings& settings,
                                                     platform::EventLoop& loop, Log& log);
  // Through load() only.
  ClientDaemon(const Paths& paths, ClientSettings settings, keys::Identity identity,
               keys::FrontSecret front, keys::ClientCredential credential,
               std::vector<stream::tls::TlsContext> tls, platform::EventLoop& loop, Log& log);
  ~ClientDaemon();

  // With `Proxy::no` only the link is made: `karst join` enrols that way.
  enum class Proxy : std::uint8_t { no, yes };
  Outcome<void> start(Proxy proxy = Proxy::yes);
  void drain(driver::Callback drained);
  std::string status();
  void handle_control(const ControlRequest& request, platform::ControlReply reply);
  driver::ClientNode& node() { return *node_; }

 private:
  bool store_psk(const keys::ClientPsk& psk);

  const Paths paths_;
  const ClientSettings settings_;
  platform::EventLoop& loop_;
  Log& log_;
  platform::OsEntropy entropy_;
  keys::Identity identity_;
  std::optional<keys::FrontSecret> front_;
  std::optional<keys::ClientCredential> credential_;
  std::vector<stream::tls::TlsContext> tls_;  // one for each address
  MemoryBudget budget_;
  stream::Scratch scratch_;
  std::optional<driver::ClientNode> node_;
  std::optional<driver::ProxyPort> proxy_;
};

// What the proxy asks for: `proxy_user`, which must be set, and the password in its file.
Outcome<stream::proxy::Credentials> load_proxy_credentials(const ClientSettings& settings);

}  // namespace karst::app
