#include <algorithm>
#include <array>
#include <utility>

#include "stream/cover/file_tree.h"
#include "stream/cover/http_message.h"

namespace karst::stream::cover {

std::string_view content_type(std::string_view path) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 37> kTypes{{
      {"html", "text/html"},
      {"htm", "text/html"},
      {"css", "text/css"},
      {"js", "application/javascript"},
      {"mjs", "application/javascript"},
      {"json", "application/json"},
      {"map", "application/json"},
      {"webmanifest", "application/manifest+json"},
      {"xml", "text/xml"},
      {"rss", "application/rss+xml"},
      {"atom", "application/atom+xml"},
      {"txt", "text/plain"},
      {"md", "text/markdown"},
      {"csv", "text/csv"},
      {"ics", "text/calendar"},
      {"svg", "image/svg+xml"},
      {"png", "image/png"},
      {"jpg", "image/jpeg"},
      {"jpeg", "image/jpeg"},
      {"gif", "image/gif"},
      {"webp", "image/webp"},
      {"avif", "image/avif"},
      {"ico", "image/x-icon"},
      {"woff", "font/woff"},
      {"woff2", "font/woff2"},
      {"ttf", "font/ttf"},
      {"otf", "font/otf"},
      {"mp3", "audio/mpeg"},
      {"ogg", "audio/ogg"},
      {"wav", "audio/wav"},
      {"mp4", "video/mp4"},
      {"webm", "video/webm"},
      {"pdf", "application/pdf"},
      {"zip", "application/zip"},
      {"gz", "application/gzip"},
      {"wasm", "application/wasm"},
      {"epub", "application/epub+zip"},
  }};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) {
    const std::string_view extension = name.substr(dot + 1);
    for (const auto& [known, type] : kTypes) {
      if (equal_ignoring_case(known, extension)) return type;
    }
  }
  return "application/octet-stream";
}

}  // namespace karst::stream::cover
