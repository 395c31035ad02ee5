#include "wire/invite.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/ip.h"
#include "base/reader.h"
#include "base/writer.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "wire/limits.h"

namespace karst::wire {
namespace {

constexpr std::string_view kScheme = "karst://";
constexpr std::string_view kChecksumLabel = "karst/1 invite";
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kPinFlag = 1;
constexpr std::size_t kCheckBytes = 4;

bool valid_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && std::ranges::all_of(label, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
}

crypto::Sha256Digest checksum(Bytes content) {
  return crypto::sha256({as_bytes(kChecksumLabel), content});
}

template <class S>
void read_secret(Reader& reader, S& secret) {
  reader.copy(secret.expose_mutable());
}

Result<Invite> parse_content(Bytes content) {
  Reader reader(content);
  reader.u8();  // The version, judged by the caller.
  Invite invite;
  const std::uint8_t flags = reader.u8();
  reader.copy(invite.server.bytes);
  if (flags == kPinFlag) reader.copy(invite.tls_pin.emplace());
  read_secret(reader, invite.front_secret);
  reader.copy(invite.id);
  read_secret(reader, invite.psk);
  invite.expiry.seconds = reader.u32();
  const std::size_t count = reader.u8();
  if (flags > kPinFlag || count == 0 || count > kInviteAddressesMax) return kInviteContent;
  for (std::size_t i = 0; i < count; ++i) {
    ServerAddress address;
    address.host = as_text(reader.bytes(reader.u8()));
    address.port = reader.u16();
    if (!valid_host(address.host) || address.port == 0) return kInviteContent;
    invite.addresses.push_back(std::move(address));
  }
  if (!reader.finished()) return kInviteContent;
  return invite;
}

}  // namespace

bool valid_host(std::string_view host) {
  if (host.empty() || host.size() > kHostBytesMax) return false;
  if (IpAddress::parse(host)) return true;
  while (true) {
    const std::size_t dot = host.find('.');
    if (!valid_label(host.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    host.remove_prefix(dot + 1);
  }
}

crypto::SecretBytes format_invite(const Invite& invite) {
  CHECK(!invite.addresses.empty() && invite.addresses.size() <= kInviteAddressesMax);
  CHECK(invite.expiry.seconds >= 0 &&
        invite.expiry.seconds <= std::numeric_limits<std::uint32_t>::max());
  std::array<std::uint8_t, kInviteBytesMax> space;
  Writer writer(space);
  writer.u8(kVersion);
  writer.u8(invite.tls_pin ? kPinFlag : 0);
  writer.bytes(invite.server.bytes);
  if (invite.tls_pin) writer.bytes(*invite.tls_pin);
  writer.bytes(invite.front_secret.expose());
  writer.bytes(invite.id);
  writer.bytes(invite.psk.expose());
  writer.u32(static_cast<std::uint32_t>(invite.expiry.seconds));
  writer.u8(static_cast<std::uint8_t>(invite.addresses.size()));
  for (const ServerAddress& address : invite.addresses) {
    CHECK(valid_host(address.host) && address.port != 0);
    writer.u8(static_cast<std::uint8_t>(address.host.size()));
    writer.bytes(as_bytes(address.host));
    writer.u16(address.port);
  }
  const auto check = checksum(Bytes(space).first(writer.written()));
  writer.bytes(Bytes(check).first(kCheckBytes));
  std::string encoded = crypto::base64url(Bytes(space).first(writer.written()));
  crypto::SecretBytes text(kScheme.size() + encoded.size());
  text.append(kScheme);
  text.append(encoded);
  crypto::wipe(MutableBytes(reinterpret_cast<std::uint8_t*>(encoded.data()), encoded.size()));
  crypto::wipe(space);
  return text;
}

Result<Invite> parse_invite(std::string_view text) {
  if (!text.starts_with(kScheme)) return kNotAnInvite;
  text.remove_prefix(kScheme.size());
  if (text.size() > (kInviteBytesMax * 4 + 2) / 3) return kNotAnInvite;
  auto decoded = crypto::base64url_decode(text);
  if (!decoded || decoded->size() <= kCheckBytes) return kNotAnInvite;
  const Bytes content = Bytes(*decoded).first(decoded->size() - kCheckBytes);
  const auto check = checksum(content);
  const bool intact = equal(Bytes(check).first(kCheckBytes), Bytes(*decoded).last(kCheckBytes));
  auto result = !intact                  ? Result<Invite>(kInviteChecksum)
                : content[0] != kVersion ? Result<Invite>(kInviteVersion)
                                         : parse_content(content);
  crypto::wipe(*decoded);
  return result;
}

}  // namespace karst::wire
