#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "crypto/secret.h"
#include "crypto/secret_bytes.h"
#include "wire/handshake_values.h"
#include "wire/node_id.h"

namespace karst::wire {

inline constexpr ErrorKind kNotAnInvite{"wire", "not-an-invite",
                                        "an invite starts with karst:// and base64url text"};
inline constexpr ErrorKind kInviteChecksum{
    "wire", "invite-checksum", "the invite was cut short or mistyped: its checksum does not match"};
inline constexpr ErrorKind kInviteVersion{"wire", "invite-version",
                                          "the invite was made by a newer version of karst"};
inline constexpr ErrorKind kInviteContent{"wire", "invite-content",
                                          "the invite holds a value that is not allowed"};

// One per server and generation: decides who gets an answer at all. Not a confidentiality key.
using FrontSecret = crypto::Secret<32, struct FrontSecretTag>;
// One per client: mixed into every root.
using ClientPsk = crypto::Secret<32, struct ClientPskTag>;
// SHA-256 of the certificate's SubjectPublicKeyInfo.
using TlsPin = std::array<std::uint8_t, 32>;

struct ServerAddress {
  std::string host;  // a DNS name, or an IP address without brackets
  std::uint16_t port = 0;
  bool operator==(const ServerAddress&) const = default;
};

// True for an IP address in text or a DNS name of letters, digits, '-', '_' and dots.
bool valid_host(std::string_view host);

// What `karst invite` prints and `karst join` reads. It holds secrets: whoever has it can join once
// in the invited person's place. It never holds an identity key. Movable, not copyable.
struct Invite {
  std::vector<ServerAddress> addresses;  // 1 to kInviteAddressesMax, in order of preference
  NodeId server;
  // Absent: the server's certificate is checked against the public authorities.
  std::optional<TlsPin> tls_pin;
  FrontSecret front_secret;
  InviteId id{};
  ClientPsk psk;
  UnixTime expiry;  // 0 to 2^32 - 1
};

// "karst://...". The invite must be valid as described above (checked). The text is as secret as
// what it stands for.
crypto::SecretBytes format_invite(const Invite& invite);
// Exactly what format_invite() writes; the caller strips white space. Expiry is not judged here.
Result<Invite> parse_invite(std::string_view text);

}  // namespace karst::wire
