#include "app/invite_credential.h"

#include <array>

#include "crypto/hex.h"
#include "keys/client_psk.h"

namespace karst::app {
namespace {

constexpr std::size_t kIdDigits = 2 * std::tuple_size_v<wire::InviteId>;

}  // namespace

crypto::SecretBytes format_invite_credential(const wire::InviteId& id, const wire::ClientPsk& psk) {
  crypto::SecretBytes text(kIdDigits + 1 + keys::PskText::kBytes);
  std::array<std::uint8_t, kIdDigits> digits;
  crypto::hex_encode(id, digits);
  text.append(digits);
  text.append(" ");
  text.append(keys::format_client_psk(psk).expose());
  return text;
}

Result<keys::InviteCredential> parse_invite_credential(std::string_view text) {
  if (text.size() <= kIdDigits || text[kIdDigits] != ' ') return kBadInviteFile;
  keys::InviteCredential out;
  if (!crypto::hex_decode(text.substr(0, kIdDigits), out.id).ok()) return kBadInviteFile;
  auto psk = keys::parse_client_psk(text.substr(kIdDigits + 1));
  if (!psk.ok()) return kBadInviteFile;
  out.psk = std::move(*psk);
  return out;
}

}  // namespace karst::app
