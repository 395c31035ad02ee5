#pragma once

#include <string_view>

#include "base/bytes.h"

namespace karst {

// A file of the source tree that was compiled in (karst_embed in cmake/karst.cmake).
struct EmbeddedFile {
  std::string_view path;  // "/index.html"
  Bytes body;
};

}  // namespace karst
