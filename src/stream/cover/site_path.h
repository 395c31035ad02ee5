#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace karst::stream::cover {

// A request's path as it was sent, cut at the first '?'; `query` keeps the '?'.
struct Target {
  std::string_view path;
  std::string_view query;
};
Target split_target(std::string_view target);

// Whether a target has nothing but visible characters: what may stand in a request line or in a
// Location. Its length is bounded elsewhere.
bool is_clean_target(std::string_view target);

// The name in a FileTree that a request's path (without query) means: percent-decoded, with runs
// of slashes made one and dot segments resolved, as nginx does. Nullopt for what deserves a 400:
// not starting with '/', a bad escape, a control character, climbing above the root.
std::optional<std::string> decode_path(std::string_view path);

// For Location: the inverse, with everything but unreserved characters and '/' escaped.
std::string encode_path(std::string_view decoded);

}  // namespace karst::stream::cover
