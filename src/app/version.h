#pragma once

#include <string_view>

namespace karst::app {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace karst::app
