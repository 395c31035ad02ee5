#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "crypto/secret_bytes.h"
#include "keys/client_psk.h"
#include "keys/handshake_error.h"
#include "keys/identity.h"
#include "keys/write_outcome.h"
#include "wire/handshake_values.h"

namespace karst::keys {

inline constexpr std::size_t kClientsMax = 10'000;
inline constexpr std::size_t kInvitesMax = 10'000;
inline constexpr std::size_t kRegistryChangesMax = 1'024;  // waiting to be written
inline constexpr std::size_t kClientNameBytesMax = 64;
inline constexpr std::int64_t kInviteLifetimeSeconds = 7 * 86'400;  // unless the operator says else

inline constexpr ErrorKind kRegistrySyntax{"registry", "registry-syntax",
                                           "a line of the client registry cannot be read"};
inline constexpr ErrorKind kRegistryFull{"registry", "registry-full",
                                         "the client registry holds as much as it may"};
inline constexpr ErrorKind kRegistryBusy{"registry", "registry-busy",
                                         "too many registry changes wait to be written"};
inline constexpr ErrorKind kRegistryNotStored{"registry", "registry-not-stored",
                                              "the client registry could not be written"};
inline constexpr ErrorKind kNameInvalid{
    "registry", "name-invalid",
    "a client name is 1 to 64 letters, digits and the characters . _ @ -"};
inline constexpr ErrorKind kNameTaken{"registry", "name-taken",
                                      "another client or open invite has this name"};
inline constexpr ErrorKind kClientExists{"registry", "client-exists",
                                         "this node id is registered already"};
inline constexpr ErrorKind kNoSuchClient{"registry", "no-such-client",
                                         "no client has this node id"};
inline constexpr ErrorKind kNoSuchInvite{"registry", "no-such-invite", "no invite has this id"};

bool valid_client_name(std::string_view name);

// One client as the server knows it.
struct ClientRecord {
  std::string name;
  SharedPsk generation_0;  // null once generation 1 has been used
  SharedPsk generation_1;  // null for a PSK placed by hand
  bool revoked = false;
  wire::ClientLimits limits;
};

struct InviteRecord {
  std::string name;
  SharedPsk psk;
  UnixTime expiry;  // good before, not at
  wire::ClientLimits limits;
  std::optional<NodeId> spent_by;
};

// What a handshake needs of the client that M3 names.
struct KnownClient {
  std::string name;
  SharedPsk psk;
  wire::ClientLimits limits;
};

// Names one change until its outcome has been polled.
using ChangeTicket = std::uint64_t;

// What became of one change. Only ClientRegistry makes it, so it can stand as a proof.
class ChangeOutcome {
 public:
  ChangeTicket ticket() const { return ticket_; }
  const Result<void>& result() const { return result_; }

 private:
  friend class ClientRegistry;
  ChangeOutcome(ChangeTicket ticket, Result<void> result) : ticket_(ticket), result_(result) {}
  ChangeTicket ticket_;
  Result<void> result_;
};

// The server's clients and invites. A pure value: no file. A change counts when it is durable:
//
//   ticket = registry.add_invite(...)        any of the changes
//   text = registry.poll_write()             write to a new file, sync, rename, sync the folder
//   registry.written(durable or failed)
//   registry.poll_outcome()                  until empty: one per change, in order
//
// One write is outstanding at a time and carries all changes that waited for it; if it fails, all
// of them are refused and the registry is as before. Changes are judged when their write is made,
// in order, so two that exclude each other cannot both succeed. Two exceptions take effect at once
// and are tried again with the next write when one fails, because that is the safe side: revoke()
// and forget_generation_0(). One thread.
class ClientRegistry {
 public:
  ClientRegistry() = default;

  // The file's content (docs/protocol/session-files.md). kRegistrySyntax with the line number.
  static Result<ClientRegistry> parse(std::string_view text);
  crypto::SecretBytes format() const;

  // Order of judgement: node id, revocation, then generation or invite. Errors: kClientUnknown,
  // kClientRevoked, kPskGenerationUnknown, kInviteUnknown, kInviteSpent, kInviteExpired.
  Result<KnownClient> find(const NodeId& node, const wire::PskSelector& selector,
                           UnixTime now) const;

  const std::map<NodeId, ClientRecord>& clients() const { return state_.clients; }
  const std::map<wire::InviteId, InviteRecord>& invites() const { return state_.invites; }
  // By name, for commands.
  std::optional<NodeId> find_client(std::string_view name) const;

  // Changes. Each gives a ticket, or kRegistryBusy. What may be wrong with it comes as its outcome.
  Result<ChangeTicket> add_client(const NodeId& node, std::string_view name, ClientPsk generation_0,
                                  const wire::ClientLimits& limits);
  Result<ChangeTicket> remove_client(const NodeId& node);
  Result<ChangeTicket> set_limits(const NodeId& node, const wire::ClientLimits& limits);
  Result<ChangeTicket> revoke(const NodeId& node);
  Result<ChangeTicket> restore(const NodeId& node);
  Result<ChangeTicket> add_invite(const wire::InviteId& id, std::string_view name, ClientPsk psk,
                                  UnixTime expiry, const wire::ClientLimits& limits);
  Result<ChangeTicket> remove_invite(const wire::InviteId& id);
  // Removes invites that are past their expiry and that no client may still need to enrol again.
  Result<ChangeTicket> remove_expired_invites(UnixTime now);
  // Registers `node` under the invite and spends it. For the handshake.
  Result<ChangeTicket> enrol(const NodeId& node, const wire::InviteId& id, SharedPsk enrolled,
                             UnixTime now);
  // Generation 1 of `node` has been used: the older PSK goes. For the handshake; no ticket.
  void forget_generation_0(const NodeId& node);

  // The text to write next, or nothing while a write is outstanding or nothing has changed.
  std::optional<crypto::SecretBytes> poll_write();
  // The outcome of the write that poll_write() asked for.
  void written(WriteOutcome outcome);
  std::optional<ChangeOutcome> poll_outcome();

 private:
  struct State {
    std::map<NodeId, ClientRecord> clients;
    std::map<wire::InviteId, InviteRecord> invites;
  };
  struct Change;

  State state_;
};

}  // namespace karst::keys
