#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "crypto/secret.h"
#include "wire/invite.h"

namespace karst::keys {

using wire::ClientPsk;
// A PSK that several owners hold without copying it; wiped when the last one lets go.
using SharedPsk = std::shared_ptr<const ClientPsk>;

inline constexpr ErrorKind kBadSecretFile{"keys", "bad-secret-file",
                                          "the file does not hold 64 lower-case hex digits"};

// 64 lower-case hex digits and a newline. The file's mode is the app's business.
using PskText = crypto::Secret<65, struct PskTextTag>;
PskText format_client_psk(const ClientPsk& psk);
// Exactly 64 lower-case hex digits; one newline may follow.
Result<ClientPsk> parse_client_psk(std::string_view text);

}  // namespace karst::keys
