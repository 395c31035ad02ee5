#include "lab/format.h"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace karst::lab {

std::string format(const char* pattern, ...) {
  std::array<char, 256> out{};
  std::va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(out.data(), out.size(), pattern, arguments);
  va_end(arguments);
  return out.data();
}

}  // namespace karst::lab
