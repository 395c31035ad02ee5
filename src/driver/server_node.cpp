#include "driver/server_node.h"

#include <algorithm>
#include <utility>

namespace karst::driver {

ServerNode::ServerNode(ServerNodeConfig config, const ServerNodeParts& parts)
    : config_(std::move(config)),
      parts_(parts),
      shared_{parts.ports, parts.stream, parts.egress, std::make_unique<KemShare>(*parts.ports)},
      chores_(parts.ports->make_end_of_turn([this] { run_chores(); })),
      second_(parts.ports->make_timer([this] { sample(); })),
      strangers_(config_.connections_per_source_max) {
  if (auto* backend = parts_.site->backend()) {
    backend_.emplace(*backend, config_.backend_address, *parts_.ports,
                     [this] { chores_->request(); });
  }
  second_->arm(parts_.ports->now() + std::chrono::seconds(1));
}

ServerNode::~ServerNode() = default;

std::optional<ServerNode::ListenError> ServerNode::listen() {
  std::vector<std::unique_ptr<TcpListener>> opened;
  for (const Endpoint& at : config_.listen) {
    auto listener = parts_.ports->listen(at);
    if (!listener.ok()) return ListenError{listener.error(), at};
    (*listener)->set_handler(*this);
    opened.push_back(std::move(*listener));
  }
  listeners_ = std::move(opened);
  for (const auto& listener : listeners_) {
    const std::string at = listener->local().text();
    (*parts_.stream->trace)(kTraceListening, {{"at", std::string_view(at)}});
  }
  return std::nullopt;
}

std::vector<Endpoint> ServerNode::listening() const {
  std::vector<Endpoint> out;
  for (const auto& listener : listeners_) out.push_back(listener->local());
  return out;
}

void ServerNode::on_accept(std::unique_ptr<TcpStream> stream) {
  if (sessions_.size() >= config_.connections_max) {
    (*parts_.stream->trace)(kTraceTooManyConnections);
    stream->abort_on_close();
    return;
  }
  const Endpoint remote = stream->remote();
  if (!strangers_.enter(remote.address)) {
    const std::string address = remote.address.text();
    (*parts_.stream->trace)(kTraceTooManyOfSource, {{"address", std::string_view(address)}});
    stream->abort_on_close();
    return;
  }
  const auto key = static_cast<stream::cover::ConnectionKey>(next_key_++);
  ServerSession::Owner& owner = *this;
  sessions_.emplace(key, std::make_unique<ServerSession>(std::move(stream), shared_, key, owner));
}

void ServerNode::on_session_peer_up(ServerSession& session) {
  strangers_.leave(session.remote().address);
  end_oldest_link(session.peer()->node_id());
  chores_->request();
}

// Sessions are in the order in which they were accepted.
void ServerNode::end_oldest_link(const keys::NodeId& node) {
  std::vector<ServerSession*> links;
  for (auto& [key, session] : sessions_) {
    const auto* peer = session->peer();
    if (peer != nullptr && peer->node_id() == node) links.push_back(session.get());
  }
  if (links.size() <= config_.links_per_client_max) return;
  const std::string_view name = links.front()->peer()->name();
  (*parts_.stream->trace)(kTraceTooManyLinks, {{"client", name}});
  links.front()->end(wire::GoAwayReason::replaced);
}

void ServerNode::on_session_closed(ServerSession& session) {
  if (!session.was_admitted()) strangers_.leave(session.remote().address);
  sessions_.erase(session.key());
  chores_->request();
}

bool ServerNode::allowed(const keys::NodeId& node) const {
  const auto found = parts_.registry->clients().find(node);
  return found != parts_.registry->clients().end() && !found->second.revoked;
}

void ServerNode::registry_changed() {
  for (auto& [key, session] : sessions_) {
    const auto* peer = session->peer();
    if (peer != nullptr && !allowed(peer->node_id())) session->end(wire::GoAwayReason::revoked);
  }
  chores_->request();
}

void ServerNode::write_registry() {
  while (auto text = parts_.registry->poll_write(parts_.ports->now())) {
    parts_.store->store(*text, [this](keys::WriteOutcome outcome) {
      (*parts_.stream->trace)(outcome == keys::WriteOutcome::durable ? kTraceEnrolled
                                                                     : kTraceNotStored);
      parts_.registry->written(outcome, parts_.ports->now());
      chores_->request();
    });
  }
  while (const auto outcome = parts_.registry->poll_outcome()) {
    for (auto& [key, session] : sessions_) session->handle_outcome(*outcome);
    if (outcome_) outcome_(*outcome);
  }
}

void ServerNode::bound_memory() {
  const MemoryBudget* budget = parts_.stream->visitors;
  while (budget != nullptr && budget->over() && !sessions_.empty()) {
    const auto most = std::ranges::max_element(
        sessions_, {}, [](const auto& entry) -> std::size_t { return entry.second->held_bytes(); });
    const std::string source = most->second->remote().address.text();
    (*parts_.stream->trace)(kTraceTooMuchMemory, {{"client", std::string_view(source)}});
    on_session_closed(*most->second);
  }
}

void ServerNode::run_chores() {
  write_registry();
  // What the backend takes makes room for its client, and the other way round. It ends when what
  // both sides have brought is used up: nothing is read in here.
  for (bool woken = true; woken;) {
    if (backend_) backend_->pump();
    woken = false;
    while (const auto key = parts_.site->poll_ready()) {
      woken = true;
      const auto found = sessions_.find(*key);
      if (found != sessions_.end()) found->second->wake();
    }
  }
  bound_memory();
  if (drained_ && sessions_.empty()) std::exchange(drained_, nullptr)();
}

void ServerNode::sample() {
  const TimePoint now = parts_.ports->now();
  for (auto& [key, session] : sessions_) session->sample(now);
  // The machine may have got or lost an address.
  parts_.egress->set_own_addresses(parts_.ports->own_addresses());
  // A registry write that failed is tried again when it is due.
  chores_->request();
  second_->arm(now + std::chrono::seconds(1));
}

void ServerNode::drain(Callback drained) {
  listeners_.clear();
  drained_ = std::move(drained);
  for (auto& [key, session] : sessions_) session->drain();
  chores_->request();
}

std::vector<ServerSession*> ServerNode::peers() {
  std::vector<ServerSession*> out;
  for (auto& [key, session] : sessions_) {
    if (session->peer() != nullptr) out.push_back(session.get());
  }
  return out;
}

}  // namespace karst::driver
