#pragma once

#include <cstddef>

#include "base/entropy.h"

namespace karst::keys {

// How much padding a handshake record gets: 0 to `max` with equal chances; `max` is 2^n - 1 and at
// most 65,535 (checked).
std::size_t random_padding(Entropy& entropy, std::size_t max);

}  // namespace karst::keys
