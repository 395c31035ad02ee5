#include "stream/cover/builtin_site.h"

#include <string>

#include "base/check.h"
#include "stream/cover/file_tree.h"

namespace karst::stream::cover {

FileTree builtin_site(UnixTime modified, std::string_view socket_path) {
  FileTree tree;
  for (const EmbeddedFile& file : builtin_files()) {
    tree.emplace(file.path, File{to_vector(file.body), modified});
  }
  ByteVector& script = tree.at("/live.js").body;
  std::string text(as_text(script));
  constexpr std::string_view kHost = "${location.host}";
  const std::size_t path = text.find(kHost);
  CHECK(path != std::string::npos);
  text.replace(path + kHost.size(), kDefaultSocketPath.size(), socket_path);
  script = to_vector(as_bytes(text));
  return tree;
}

}  // namespace karst::stream::cover
