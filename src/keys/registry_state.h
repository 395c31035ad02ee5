#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "base/time.h"
#include "crypto/secret_bytes.h"
#include "keys/client_psk.h"
#include "keys/handshake_error.h"
#include "keys/identity.h"
#include "wire/handshake_values.h"

// What a server knows of its clients and invites, as a copyable value (PSKs are shared, not
// copied), the changes that can be made to it, and its text.

namespace karst::keys {

inline constexpr std::size_t kClientsMax = 10'000;
inline constexpr std::size_t kInvitesMax = 10'000;
inline constexpr std::size_t kClientNameBytesMax = 64;
inline constexpr std::int64_t kInviteLifetimeSeconds = 7 * 86'400;  // unless the operator says else

inline constexpr ErrorKind kRegistrySyntax{"registry", "registry-syntax",
                                           "a line of the client registry cannot be read"};
inline constexpr ErrorKind kRegistryFull{"registry", "registry-full",
                                         "the client registry holds as much as it may"};
inline constexpr ErrorKind kNameInvalid{
    "registry", "name-invalid",
    "a client name is 1 to 64 letters, digits and the characters . _ @ -"};
inline constexpr ErrorKind kNameTaken{
    "registry", "name-taken", "another client, also if revoked, or an open invite has this name"};
inline constexpr ErrorKind kClientExists{"registry", "client-exists",
                                         "this node id is registered already"};
inline constexpr ErrorKind kInviteExists{"registry", "invite-exists",
                                         "this invite id is registered already"};
inline constexpr ErrorKind kNoSuchClient{"registry", "no-such-client",
                                         "no client has this node id"};
inline constexpr ErrorKind kNoSuchInvite{"registry", "no-such-invite", "no invite has this id"};

bool valid_client_name(std::string_view name);

struct ClientRecord {
  std::string name;
  SharedPsk generation_0;  // null once generation 1 has been used
  SharedPsk generation_1;  // null only where there was no enrolment
  wire::ClientLimits limits;
  bool revoked = false;
};

struct InviteRecord {
  std::string name;
  SharedPsk psk;    // null once it is spent: then it is generation 0 of the client
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

struct RegistryState {
  std::map<NodeId, ClientRecord> clients;
  std::map<wire::InviteId, InviteRecord> invites;

  // Order of judgement: revocation, then node id and generation, or invite. Errors: kClientRevoked,
  // kClientUnknown, kPskGenerationUnknown, kInviteUnknown, kInviteSpent, kInviteExpired.
  Result<KnownClient> find(const NodeId& node, const wire::PskSelector& selector,
                           UnixTime now) const;
  // By name, for commands.
  std::optional<NodeId> find_client(std::string_view name) const;
};

// The file's content (docs/protocol/session-files.md).
crypto::SecretBytes format_registry(const RegistryState& state);
// kRegistrySyntax with the line's number, from 1.
Result<RegistryState> parse_registry(std::string_view text);

namespace change {
struct AddClient {
  NodeId node;
  ClientRecord record;
};
struct RemoveClient {
  NodeId node;
};
struct SetLimits {
  NodeId node;
  wire::ClientLimits limits;
};
struct SetRevoked {
  NodeId node;
  bool revoked = true;
};
struct AddInvite {
  wire::InviteId id{};
  InviteRecord record;
};
struct RemoveInvite {
  wire::InviteId id{};
};
struct RemoveExpiredInvites {
  UnixTime now;
};
struct Enrol {
  NodeId node;
  wire::InviteId id{};
  SharedPsk enrolled;
  UnixTime now;
};
struct ForgetGeneration0 {
  NodeId node;
  SharedPsk used;  // refused unless this is generation 1
};
}  // namespace change
using RegistryChange =
    std::variant<change::AddClient, change::RemoveClient, change::SetLimits, change::SetRevoked,
                 change::AddInvite, change::RemoveInvite, change::RemoveExpiredInvites,
                 change::Enrol, change::ForgetGeneration0>;

// Makes one change, or refuses it and leaves the state as it was.
Result<void> apply(RegistryState& state, const RegistryChange& change);

}  // namespace karst::keys
