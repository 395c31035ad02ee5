#pragma once

#include <span>
#include <string_view>

#include "base/bytes.h"

namespace karst::stream::cover {

struct EmbeddedFile {
  std::string_view path;  // "/index.html"
  Bytes body;
};

// The files of src/stream/cover/site, compiled in (cmake/embed.cmake writes the definition).
std::span<const EmbeddedFile> builtin_files();

}  // namespace karst::stream::cover
