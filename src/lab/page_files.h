#pragma once

#include <span>

#include "base/embedded_file.h"

namespace karst::lab {

// The files of src/lab/page, compiled in: pages that lack only their data.
std::span<const EmbeddedFile> page_files();

}  // namespace karst::lab
