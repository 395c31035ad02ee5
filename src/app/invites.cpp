#include "app/invites.h"

#include "stream/proxy/target.h"

namespace karst::app {

std::optional<wire::ServerAddress> parse_server_address(std::string_view text) {
  const auto target = stream::proxy::Target::from_authority(text);
  if (!target) return std::nullopt;
  if (const auto* name = std::get_if<stream::proxy::HostName>(&target->host)) {
    return wire::ServerAddress{name->text(), target->port};
  }
  return wire::ServerAddress{std::get<IpAddress>(target->host).text(), target->port};
}

Outcome<IssuedInvite> issue_invite(const InviteRequest& request, const InviteIssuer& issuer,
                                   keys::ClientRegistry& registry, UnixTime now, Entropy& entropy) {
  wire::Invite invite;
  invite.addresses = request.addresses;
  invite.server = issuer.server;
  invite.tls_pin = issuer.pin;
  invite.front_secret = issuer.front->current().duplicate();
  invite.id = entropy.bytes<16>();
  invite.psk = wire::ClientPsk::random(entropy);
  invite.expiry = {now.seconds + request.lifetime_seconds};
  const auto ticket =
      registry.add_invite(invite.id, request.name, invite.psk.duplicate(), invite.expiry, {});
  if (!ticket.ok()) return std::unexpected(Failure{describe(ticket.error())});
  return IssuedInvite{wire::format_invite(invite), *ticket};
}

}  // namespace karst::app
