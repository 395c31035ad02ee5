#include "keys/client_registry.h"

#include "base/check.h"

namespace karst::keys {
namespace {

SharedPsk share(ClientPsk psk) { return std::make_shared<const ClientPsk>(std::move(psk)); }

}  // namespace

Result<ClientRegistry> ClientRegistry::parse(std::string_view text) {
  TRY_ASSIGN(RegistryState state, parse_registry(text));
  return ClientRegistry(std::move(state));
}

Result<ChangeTicket> ClientRegistry::submit(RegistryChange change) {
  const std::size_t pending =
      waiting_.size() + outcomes_.size() + (writing_ ? writing_->outcomes.size() : 0);
  if (pending >= kRegistryChangesMax) return kRegistryBusy;
  waiting_.push_back({next_ticket_, std::move(change)});
  return next_ticket_++;
}

bool ClientRegistry::take_effect(const RegistryChange& change) {
  if (!apply(state_, change)) return false;
  // What is being written will replace state_ when it is durable.
  if (writing_) {
    const bool known_there = apply(writing_->state, change).ok();
    static_cast<void>(known_there);  // The write may remove the client, or give it a new PSK.
  }
  unsaved_ = true;
  return true;
}

Result<ChangeTicket> ClientRegistry::add_client(const NodeId& node, std::string_view name,
                                                ClientPsk generation_0,
                                                const wire::ClientLimits& limits) {
  return submit(change::AddClient{node,
                                  {.name = std::string(name),
                                   .generation_0 = share(std::move(generation_0)),
                                   .generation_1 = nullptr,
                                   .limits = limits}});
}

Result<ChangeTicket> ClientRegistry::remove_client(const NodeId& node) {
  return submit(change::RemoveClient{node});
}

Result<ChangeTicket> ClientRegistry::set_limits(const NodeId& node,
                                                const wire::ClientLimits& limits) {
  return submit(change::SetLimits{node, limits});
}

Result<ChangeTicket> ClientRegistry::revoke(const NodeId& node) {
  const change::SetRevoked revocation{node, true};
  take_effect(revocation);
  return submit(revocation);
}

Result<ChangeTicket> ClientRegistry::restore(const NodeId& node) {
  return submit(change::SetRevoked{node, false});
}

Result<ChangeTicket> ClientRegistry::add_invite(const wire::InviteId& id, std::string_view name,
                                                ClientPsk psk, UnixTime expiry,
                                                const wire::ClientLimits& limits) {
  CHECK(expiry.seconds >= 0);
  return submit(change::AddInvite{id,
                                  {.name = std::string(name),
                                   .psk = share(std::move(psk)),
                                   .expiry = expiry,
                                   .limits = limits,
                                   .spent_by = {}}});
}

Result<ChangeTicket> ClientRegistry::remove_invite(const wire::InviteId& id) {
  return submit(change::RemoveInvite{id});
}

Result<ChangeTicket> ClientRegistry::remove_expired_invites(UnixTime now) {
  return submit(change::RemoveExpiredInvites{now});
}

Result<ChangeTicket> ClientRegistry::enrol(const NodeId& node, const wire::InviteId& id,
                                           SharedPsk enrolled, UnixTime now) {
  CHECK(enrolled != nullptr);
  return submit(change::Enrol{node, id, std::move(enrolled), now});
}

void ClientRegistry::forget_generation_0(const NodeId& node, SharedPsk used) {
  CHECK(used != nullptr);
  const auto client = state_.clients.find(node);
  if (client == state_.clients.end() || client->second.generation_0 == nullptr) return;
  take_effect(change::ForgetGeneration0{node, std::move(used)});
}

std::optional<crypto::SecretBytes> ClientRegistry::poll_write(TimePoint now) {
  if (writing_) return std::nullopt;
  const bool retry = unsaved_ && (!retry_at_ || now >= *retry_at_);
  if (waiting_.empty() && !retry) return std::nullopt;
  Writing next{.state = state_, .outcomes = {}, .kept_on_failure = unsaved_};
  bool changed = unsaved_;
  for (const Waiting& waiting : waiting_) {
    const Result<void> result = apply(next.state, waiting.change);
    changed = changed || result.ok();
    next.outcomes.push_back(ChangeOutcome(waiting.ticket, result));
  }
  waiting_.clear();
  if (!changed) {
    outcomes_.insert(outcomes_.end(), next.outcomes.begin(), next.outcomes.end());
    return std::nullopt;
  }
  unsaved_ = false;
  writing_ = std::move(next);
  return format_registry(writing_->state);
}

void ClientRegistry::written(WriteOutcome outcome, TimePoint now) {
  CHECK(writing_.has_value());
  if (outcome == WriteOutcome::durable) {
    state_ = std::move(writing_->state);
    retry_at_.reset();
  } else {
    for (ChangeOutcome& refused : writing_->outcomes) {
      if (refused.result_.ok()) refused.result_ = kRegistryNotStored;
    }
    unsaved_ = unsaved_ || writing_->kept_on_failure;
    retry_at_ = now + kRegistryRetryDelay;
  }
  outcomes_.insert(outcomes_.end(), writing_->outcomes.begin(), writing_->outcomes.end());
  writing_.reset();
}

std::optional<ChangeOutcome> ClientRegistry::poll_outcome() {
  if (outcomes_.empty()) return std::nullopt;
  const ChangeOutcome outcome = outcomes_.front();
  outcomes_.pop_front();
  return outcome;
}

std::optional<TimePoint> ClientRegistry::next_deadline() const {
  return unsaved_ && !writing_ ? retry_at_ : std::nullopt;
}

}  // namespace karst::keys
