#pragma once

#include <string_view>

#include "base/result.h"
#include "crypto/secret_bytes.h"
#include "keys/client_handshake.h"

// The file in which a client keeps what an invite gave it until it is enrolled:
// docs/protocol/session-files.md.
namespace karst::app {

inline constexpr ErrorKind kBadInviteFile{"keys", "bad-invite-file",
                                          "the file does not hold an invite's id and key"};

crypto::SecretBytes format_invite_credential(const wire::InviteId& id, const wire::ClientPsk& psk);
// Exactly what format_invite_credential() writes; the last newline may be missing.
Result<keys::InviteCredential> parse_invite_credential(std::string_view text);

}  // namespace karst::app
