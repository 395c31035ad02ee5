#include "app/invites.h"

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
  const auto ticket =
      registry.add_invite(invite.id, request.name, invite.psk.duplicate(), invite.expiry, {});
  if (!ticket.ok()) return std::unexpected(Failure{describe(ticket.error())});
  return IssuedInvite{wire::format_invite(invite), *ticket};
}

}  // namespace karst::app
