#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "driver/proxy_connection.h"

namespace karst::driver {

// The local ports for SOCKS5 and HTTP proxy clients.
class ProxyPort final : private TcpListener::Handler {
 public:
  // Local connections at one time; each costs descriptors and, when busy, up to a stream's window.
  static constexpr std::size_t kConnectionsMax = 4096;

  ProxyPort(stream::proxy::EntryConfig config, LinkGateway& gateway, Ports& ports,
            TraceSink& trace);
  ~ProxyPort();

  Result<void> listen(const Endpoint& at);
  void stop_listening() { listeners_.clear(); }
  std::vector<Endpoint> listening() const;
  std::size_t connections() const { return connections_.size(); }

 private:
  void on_accept(std::unique_ptr<TcpStream> stream) override;
  void on_accept_rests() override { trace_(kTraceTooManyFiles); }
  void sweep();

  const stream::proxy::EntryConfig config_;
  LinkGateway& gateway_;
  Ports& ports_;
  TraceSink& trace_;
  std::unique_ptr<EndOfTurn> sweep_;
  std::vector<std::unique_ptr<TcpListener>> listeners_;
  std::map<std::uint64_t, std::unique_ptr<ProxyConnection>> connections_;
  std::vector<std::uint64_t> finished_;
  std::uint64_t next_id_ = 0;
};

}  // namespace karst::driver
