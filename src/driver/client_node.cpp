#include "driver/client_node.h"

#include <utility>

#include "stream/link_end.h"

namespace karst::driver {
namespace {

// Nothing beyond this machine was reached, or what was is silent: no server, and no name server.
bool nobody_answered(const Error& why) {
  using enum stream::proxy::OpenResult;
  if (!why.is(kCannotConnect)) return false;
  const auto is = [&why](stream::proxy::OpenResult result) {
    return why.detail() == static_cast<std::int64_t>(result);
  };
  return is(timed_out) || is(host_unreachable) || is(network_unreachable) || is(internal);
}

}  // namespace

ClientNode::ClientNode(ClientNodeConfig config, keys::ClientCredential credential, Ports& ports,
                       TraceSink& trace, Prng prng, EnrolledHandler enrolled)
    : config_(std::move(config)),
      credential_(std::move(credential)),
      ports_(ports),
      trace_(trace),
      enrolled_(std::move(enrolled)),
      everywhere_(stream::proxy::EgressPolicy::everything()),
      backoff_(prng),
      retry_(ports.make_timer([this] { connect(); })),
      second_(ports.make_timer([this] { sample(); })) {
  second_->arm(ports_.now() + std::chrono::seconds(1));
}

ClientNode::~ClientNode() = default;

keys::ClientCredential ClientNode::duplicate_credential() const {
  if (const auto* psk = std::get_if<keys::PskCredential>(&credential_)) {
    return keys::PskCredential{psk->generation, psk->psk.duplicate()};
  }
  const auto& invite = std::get<keys::InviteCredential>(credential_);
  return keys::InviteCredential{invite.id, invite.psk.duplicate()};
}

void ClientNode::connect() {
  next_attempt_.reset();
  backoff_.begin(ports_.now());
  const std::size_t index = attempts_++ % config_.servers.size();
  const auto& server = config_.servers[index];
  const std::string at = server.text();
  trace_(kTraceConnecting, {{"server", std::string_view(at)}});
  ClientLink::Owner& owner = *this;
  link_ = std::make_unique<ClientLink>(config_.connections[index], server, everywhere_,
                                       config_.front.duplicate(), duplicate_credential(), ports_,
                                       owner);
  link_->start();
}

LinkStreams* ClientNode::streams() {
  const bool open = link_ && link_->phase() != ClientLink::Phase::closing && !drained_;
  return open ? link_->streams() : nullptr;
}

void ClientNode::on_link_up(ClientLink& link, const keys::ClientSession& session) {
  backoff_.reset();
  last_error_.reset();
  session_.emplace();
  session_->session_id = session.session_id;
  session_->server_limits = session.server_limits;
  session_->limits = session.limits;
  const std::string at = link.server().text();
  trace_(kTraceLinkUp, {{"server", std::string_view(at)}});
}

void ClientNode::on_link_usable(ClientLink&) {
  while (!waiters_.empty() && streams() != nullptr) {
    LinkWaiter* waiter = waiters_.front();
    waiters_.pop_front();
    waiter->on_link();
  }
}

void ClientNode::on_link_flushed(ClientLink& link) {
  if (drained_ && &link == link_.get() && link.phase() != ClientLink::Phase::closing) {
    if (!link.busy()) link.close();
  }
}

void ClientNode::on_link_enrolled(keys::ClientPsk psk) {
  if (!enrolled_(psk)) return;
  credential_ = keys::PskCredential{wire::PskGeneration::one, std::move(psk)};
}

void ClientNode::on_link_down(ClientLink& link, const Error& why) {
  last_error_ = why;
  session_.reset();
  if (&link == link_.get()) link_.reset();
  if (drained_) return finish_drain();
  const Duration wait = wait_after(why);
  const ErrorWords words = config_.words(why);
  std::vector<TraceField> fields{{"reason", std::string_view(words.reason)},
                                 {"error", why.kind().name}};
  if (!words.to_do.empty()) fields.push_back({"to_do", words.to_do});
  fields.push_back({"retry_ms", to_milliseconds(wait)});
  trace_.record(kTraceLinkDown, fields);
  next_attempt_ = ports_.now() + wait;
  retry_->arm(*next_attempt_);
}

Duration ClientNode::wait_after(const Error& why) {
  const bool shut_out = why.is(stream::kNotAdmitted) || why.is(stream::kRevoked);
  // Another address may be right.
  const bool all_tried = attempts_ % config_.servers.size() == 0;
  if (shut_out && all_tried) return backoff_.longest();
  return nobody_answered(why) ? backoff_.next_after_silence(ports_.now()) : backoff_.next();
}

void ClientNode::nudge() {
  if (!next_attempt_) return;
  backoff_.reset();
  retry_->arm(ports_.now());
}

void ClientNode::sample() {
  if (link_) link_->sample(ports_.now());
  second_->arm(ports_.now() + std::chrono::seconds(1));
}

void ClientNode::drain(Callback drained) {
  drained_ = std::move(drained);
  retry_->disarm();
  if (!link_ || link_->phase() == ClientLink::Phase::dialing) return finish_drain();
  if (!link_->busy()) link_->close();
}

void ClientNode::finish_drain() {
  if (drained_) std::exchange(drained_, nullptr)();
}

}  // namespace karst::driver
