#pragma once

#include <span>

#include "base/embedded_file.h"

namespace karst::stream::cover {

// The files of src/stream/cover/site, compiled in (cmake/embed.cmake writes the definition).
std::span<const EmbeddedFile> builtin_files();

}  // namespace karst::stream::cover
