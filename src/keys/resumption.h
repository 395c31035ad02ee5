#pragma once

#include <array>

#include "base/bytes.h"
#include "keys/link_secrets.h"
#include "keys/transcript.h"

// The proof in RESUME (docs/protocol/session.md, Resumption key): whoever makes it held the secrets
// of the old link and speaks on the new one.

namespace karst::keys {

using ResumeMac = std::array<std::uint8_t, 32>;

// `old_key` is the resume key of the link whose streams are claimed, `new_link` is H(T3) of the
// link that RESUME travels on.
ResumeMac make_resume_mac(const ResumeKey& old_key, const TranscriptHash& new_link);
// In constant time.
bool verify_resume_mac(const ResumeKey& old_key, const TranscriptHash& new_link, Bytes mac);

}  // namespace karst::keys
