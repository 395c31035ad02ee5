#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace karst {

void check_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "karst: internal error: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace karst
