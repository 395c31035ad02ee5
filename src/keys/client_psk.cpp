#include "keys/client_psk.h"

#include "crypto/hex.h"

namespace karst::keys {

PskText format_client_psk(const ClientPsk& psk) {
  PskText text;
  crypto::hex_encode(psk.expose(), text.expose_mutable().first<64>());
  text.expose_mutable()[64] = '\n';
  return text;
}

Result<ClientPsk> parse_client_psk(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  ClientPsk psk;
  if (!crypto::hex_decode(text, psk.expose_mutable())) return kBadSecretFile;
  return psk;
}

}  // namespace karst::keys
