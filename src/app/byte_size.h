#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace karst::app {

// "96 MiB", "96MiB", "1 GiB", "512 KiB", "100" as bytes.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace karst::app
