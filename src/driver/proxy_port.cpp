#include "driver/proxy_port.h"

#include <utility>

namespace karst::driver {

ProxyPort::ProxyPort(stream::proxy::EntryConfig config, LinkGateway& gateway, Ports& ports,
                     TraceSink& trace)
    : config_(std::move(config)),
      gateway_(gateway),
      ports_(ports),
      trace_(trace),
      sweep_(ports.make_end_of_turn([this] { sweep(); })) {}

ProxyPort::~ProxyPort() = default;

Result<void> ProxyPort::listen(const Endpoint& at) {
  TRY_ASSIGN(auto listener, ports_.listen(at));
  listener->set_handler(*this);
  listeners_.push_back(std::move(listener));
  return {};
}

std::vector<Endpoint> ProxyPort::listening() const {
  std::vector<Endpoint> out;
  for (const auto& listener : listeners_) out.push_back(listener->local());
  return out;
}

void ProxyPort::on_accept(std::unique_ptr<TcpStream> stream) {
  if (connections_.size() >= kConnectionsMax) return stream->abort_on_close();
  const std::uint64_t id = next_id_++;
  connections_.emplace(id, std::make_unique<ProxyConnection>(std::move(stream), config_, gateway_,
                                                             ports_, [this, id] {
                                                               finished_.push_back(id);
                                                               sweep_->request();
                                                             }));
}

void ProxyPort::sweep() {
  for (const std::uint64_t id : std::exchange(finished_, {})) connections_.erase(id);
}

}  // namespace karst::driver
