#pragma once

#include "base/result.h"

namespace karst::crypto {

inline constexpr ErrorKind kNotAuthentic{"crypto", "not-authentic",
                                         "the data was altered or the key is wrong"};
inline constexpr ErrorKind kBadPublicKey{"crypto", "bad-public-key",
                                         "a public key failed its required check"};
inline constexpr ErrorKind kBadSignature{"crypto", "bad-signature", "a signature does not verify"};

}  // namespace karst::crypto
