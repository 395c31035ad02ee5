#pragma once

#include <string_view>

namespace karst::app {

// `text` without the ASCII blanks and line breaks around it, which a paste often brings along.
std::string_view without_blanks_around(std::string_view text);

}  // namespace karst::app
