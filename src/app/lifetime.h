#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace karst::app {

inline constexpr std::int64_t kLifetimeSecondsMax = 3650ll * 86'400;

// "7d", "12h", "30m", "90s" as seconds: 1 to kLifetimeSecondsMax.
std::optional<std::int64_t> parse_lifetime(std::string_view text);

}  // namespace karst::app
