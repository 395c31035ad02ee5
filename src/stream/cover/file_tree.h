#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/time.h"

namespace karst::stream::cover {

// A site's files in memory, by absolute path: "/index.html", "/img/a b.png" (decoded, one slash
// between names, no dot segments). Directories exist by virtue of the files in them.
// "/404.html", if there, is the page for what does not exist.
struct File {
  ByteVector body;
  UnixTime modified;
};
using FileTree = std::map<std::string, File, std::less<>>;

// By the extension: "text/html", "image/svg+xml"; application/octet-stream when unknown.
std::string_view content_type(std::string_view path);

// Where the public WebSocket is unless the configuration says otherwise.
inline constexpr std::string_view kDefaultSocketPath = "/live";

// The pages of src/stream/cover/site, dated as given, with the live page's script calling
// `socket_path`.
FileTree builtin_site(UnixTime modified, std::string_view socket_path = kDefaultSocketPath);

}  // namespace karst::stream::cover
