#pragma once

#include <string>

namespace karst::app {

// The answer of status_json.h for a person; several lines.
std::string render_status(const std::string& json);

}  // namespace karst::app
