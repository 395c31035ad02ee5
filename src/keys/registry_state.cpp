#include "keys/registry_state.h"

#include <algorithm>

#include "crypto/ct.h"

namespace karst::keys {
namespace {

ClientRecord* client_of(RegistryState& state, const NodeId& node) {
  const auto found = state.clients.find(node);
  return found == state.clients.end() ? nullptr : &found->second;
}

Result<void> check_name(const RegistryState& state, std::string_view name) {
  if (!valid_client_name(name)) return kNameInvalid;
  const bool taken =
      std::ranges::any_of(state.clients,
                          [&](const auto& client) { return client.second.name == name; }) ||
      std::ranges::any_of(state.invites, [&](const auto& invite) {
        return invite.second.name == name && !invite.second.spent_by;
      });
  if (taken) return kNameTaken;
  return {};
}

// The same client may come again with its invite until it has shown that it holds generation 1.
bool may_enrol_again(const ClientRecord* client) {
  return client != nullptr && client->generation_0 != nullptr;
}

Result<void> judge_invite(const InviteRecord& invite, const NodeId& node,
                          const ClientRecord* client, UnixTime now) {
  if (invite.spent_by) {
    if (*invite.spent_by != node || !may_enrol_again(client)) return kInviteSpent;
    return {};
  }
  if (now >= invite.expiry) return kInviteExpired;
  return {};
}

Result<void> make(RegistryState& state, const change::AddClient& c) {
  TRY(check_name(state, c.record.name));
  if (state.clients.contains(c.node)) return kClientExists;
  if (state.clients.size() >= kClientsMax) return kRegistryFull;
  state.clients.emplace(c.node, c.record);
  return {};
}

Result<void> make(RegistryState& state, const change::RemoveClient& c) {
  if (state.clients.erase(c.node) == 0) return kNoSuchClient;
  return {};
}

Result<void> make(RegistryState& state, const change::SetLimits& c) {
  ClientRecord* client = client_of(state, c.node);
  if (client == nullptr) return kNoSuchClient;
  client->limits = c.limits;
  return {};
}

Result<void> make(RegistryState& state, const change::SetRevoked& c) {
  ClientRecord* client = client_of(state, c.node);
  if (client == nullptr) return kNoSuchClient;
  client->revoked = c.revoked;
  return {};
}

Result<void> make(RegistryState& state, const change::AddInvite& c) {
  TRY(check_name(state, c.record.name));
  if (state.invites.contains(c.id)) return kInviteExists;
  if (state.invites.size() >= kInvitesMax) return kRegistryFull;
  state.invites.emplace(c.id, c.record);
  return {};
}

Result<void> make(RegistryState& state, const change::RemoveInvite& c) {
  if (state.invites.erase(c.id) == 0) return kNoSuchInvite;
  return {};
}

Result<void> make(RegistryState& state, const change::RemoveExpiredInvites& c) {
  std::erase_if(state.invites, [&](const auto& entry) {
    const InviteRecord& invite = entry.second;
    const bool needed = invite.spent_by && may_enrol_again(client_of(state, *invite.spent_by));
    return c.now >= invite.expiry && !needed;
  });
  return {};
}

Result<void> make(RegistryState& state, const change::Enrol& c) {
  const auto found = state.invites.find(c.id);
  if (found == state.invites.end()) return kInviteUnknown;
  InviteRecord& invite = found->second;
  ClientRecord* client = client_of(state, c.node);
  if (client != nullptr && client->revoked) return kClientRevoked;
  TRY(judge_invite(invite, c.node, client, c.now));
  if (client == nullptr && state.clients.size() >= kClientsMax) return kRegistryFull;
  ClientRecord& enrolled = state.clients[c.node];
  if (!invite.spent_by) {
    enrolled.name = invite.name;
    enrolled.limits = invite.limits;
    enrolled.generation_0 = std::move(invite.psk);
    invite.psk.reset();
    invite.spent_by = c.node;
  }
  enrolled.generation_1 = c.enrolled;
  return {};
}

Result<void> make(RegistryState& state, const change::ForgetGeneration0& c) {
  ClientRecord* client = client_of(state, c.node);
  if (client == nullptr) return kNoSuchClient;
  if (client->generation_1 == nullptr ||
      !crypto::ct_equal(client->generation_1->expose(), c.used->expose())) {
    return kPskGenerationUnknown;
  }
  client->generation_0.reset();
  return {};
}

}  // namespace

bool valid_client_name(std::string_view name) {
  return !name.empty() && name.size() <= kClientNameBytesMax &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '@' || c == '-';
         });
}

Result<KnownClient> RegistryState::find(const NodeId& node, const wire::PskSelector& selector,
                                        UnixTime now) const {
  const auto known = clients.find(node);
  const ClientRecord* client = known == clients.end() ? nullptr : &known->second;
  if (client != nullptr && client->revoked) return kClientRevoked;
  if (const auto* id = std::get_if<wire::InviteId>(&selector)) {
    const auto found = invites.find(*id);
    if (found == invites.end()) return kInviteUnknown;
    const InviteRecord& invite = found->second;
    TRY(judge_invite(invite, node, client, now));
    if (invite.spent_by) return KnownClient{client->name, client->generation_0, client->limits};
    return KnownClient{invite.name, invite.psk, invite.limits};
  }
  if (client == nullptr) return kClientUnknown;
  const SharedPsk& psk = std::get<wire::PskGeneration>(selector) == wire::PskGeneration::one
                             ? client->generation_1
                             : client->generation_0;
  if (psk == nullptr) return kPskGenerationUnknown;
  return KnownClient{client->name, psk, client->limits};
}

std::optional<NodeId> RegistryState::find_client(std::string_view name) const {
  for (const auto& [node, client] : clients) {
    if (client.name == name) return node;
  }
  return std::nullopt;
}

Result<void> apply(RegistryState& state, const RegistryChange& change) {
  return std::visit([&](const auto& c) { return make(state, c); }, change);
}

}  // namespace karst::keys
