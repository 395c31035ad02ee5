#pragma once

#include <string_view>

#include "base/result.h"

namespace karst::app {

// What a person can do about an error that keeps a client from its server, as half a sentence of at
// most 66 characters; empty where nothing is known beyond what the error says. docs/operations.md
// says more on each.
std::string_view advice(const Error& error);

// Trying again cannot help while nobody does something about it.
bool is_final(const Error& error);

}  // namespace karst::app
