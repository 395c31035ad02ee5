#include "app/invites.h"

#include <algorithm>
#include <limits>

#include "wire/limits.h"

namespace karst::app {

Outcome<IssuedInvite> issue_invite(const InviteRequest& request, const InviteIssuer& issuer,
                                   keys::ClientRegistry& registry, UnixTime now, Entropy& entropy) {
  if (request.addresses.empty()) {
    return std::unexpected(Failure{
        "an invite needs an address of the server: set `addresses` in [server], or give --address",
        kExitUsage});
  }
  if (request.addresses.size() > wire::kInviteAddressesMax) {
    return std::unexpected(Failure{
        "an invite carries at most " + std::to_string(wire::kInviteAddressesMax) + " addresses",
        kExitUsage});
  }
  const UnixTime expiry{now.seconds + request.lifetime_seconds};
  if (now.seconds < 0 || expiry.seconds > std::numeric_limits<std::uint32_t>::max()) {
    return std::unexpected(
        Failure{"the invite would expire at a time that it cannot carry; is the "
                "clock of this machine right?"});
  }
  wire::Invite invite;
  invite.addresses = request.addresses;
  invite.server = issuer.server;
  invite.tls_pin = issuer.pin;
  invite.front_secret = issuer.front->current().duplicate();
  invite.id = entropy.bytes<16>();
  invite.psk = wire::ClientPsk::random(entropy);
  invite.expiry = expiry;
  // What nobody can use any more keeps no name from being invited again.
  if (std::ranges::any_of(registry.invites(), [now](const auto& entry) {
        return entry.second.expiry.seconds <= now.seconds;
      })) {
    const auto removed = registry.remove_expired_invites(now);
    if (!removed.ok()) return std::unexpected(Failure{describe(removed.error())});
  }
  const auto ticket =
      registry.add_invite(invite.id, request.name, invite.psk.duplicate(), invite.expiry, {});
  if (!ticket.ok()) return std::unexpected(Failure{describe(ticket.error())});
  return IssuedInvite{wire::format_invite(invite), *ticket};
}

Outcome<keys::ChangeTicket> revoke_name(const std::string& name, keys::ClientRegistry& registry) {
  const auto done = [](const Result<keys::ChangeTicket>& ticket) -> Outcome<keys::ChangeTicket> {
    if (!ticket.ok()) return std::unexpected(Failure{describe(ticket.error())});
    return *ticket;
  };
  if (const auto node = registry.find_client(name)) return done(registry.revoke(*node));
  for (const auto& [id, invite] : registry.invites()) {
    if (invite.name == name && !invite.spent_by) return done(registry.remove_invite(id));
  }
  return std::unexpected(
      Failure{"there is no client or open invite named " + name + "; `karst clients` lists them"});
}

}  // namespace karst::app
