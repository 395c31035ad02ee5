#include "base/bytes.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace karst {

bool equal(Bytes a, Bytes b) { return std::ranges::equal(a, b); }

void copy_bytes(MutableBytes to, Bytes from) {
  CHECK(to.size() >= from.size());
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

}  // namespace karst
