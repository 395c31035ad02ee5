#pragma once

#include <string>
#include <vector>

#include "app/failure.h"
#include "base/entropy.h"
#include "crypto/secret_bytes.h"
#include "keys/client_registry.h"
#include "keys/front_secret.h"
#include "wire/invite.h"

namespace karst::app {

struct InviteRequest {
  std::string name;
  std::int64_t lifetime_seconds = keys::kInviteLifetimeSeconds;
  std::vector<wire::ServerAddress> addresses;
};

// The server's part of an invite, without the registry.
struct InviteIssuer {
  wire::NodeId server;
  wire::TlsPin pin{};
  const keys::FrontSecrets* front = nullptr;
};

// Adds an open invite to the registry and returns its text (secret) and the change's ticket; it
// counts when that change is on disk. Fails, and changes nothing, when the invite would have no
// address or too many, or an expiry that an invite cannot carry.
struct IssuedInvite {
  crypto::SecretBytes uri;
  keys::ChangeTicket ticket;
};
Outcome<IssuedInvite> issue_invite(const InviteRequest& request, const InviteIssuer& issuer,
                                   keys::ClientRegistry& registry, UnixTime now, Entropy& entropy);

// Shuts out the client of that name, or takes back its invite if that is still open. As above,
// nothing is durable yet.
Outcome<keys::ChangeTicket> revoke_name(const std::string& name, keys::ClientRegistry& registry);

}  // namespace karst::app
