#pragma once

#include <string>

namespace karst::lab {

// printf(3) into a string, for tables; longer than 255 bytes is cut.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

}  // namespace karst::lab
