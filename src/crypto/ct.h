#pragma once

#include <openssl/crypto.h>

#include "base/bytes.h"

namespace karst::crypto {

// True if both hold the same bytes; the time depends on the lengths only, which are public.
inline bool ct_equal(Bytes a, Bytes b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace karst::crypto
