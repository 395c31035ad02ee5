#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stream/cover/file_tree.h"
#include "stream/cover/limits.h"

namespace karst::platform {

// detail = errno
inline constexpr ErrorKind kSiteUnreadable{"site", "unreadable",
                                           "a folder or file of the site cannot be read"};
inline constexpr ErrorKind kSiteTooLarge{"site", "too-large",
                                         "the site's files are more than fits in memory"};
inline constexpr ErrorKind kSiteTooMany{"site", "too-many-files",
                                        "the site has too many files or too deep folders"};

struct SiteLimits {
  std::size_t file_bytes = stream::cover::kSiteFileBytesMax;
  std::size_t total_bytes = stream::cover::kSiteBytesMax;
  std::size_t files = stream::cover::kSiteFilesMax;
  std::size_t depth = 32;  // folders within folders
};

struct LoadedSite {
  stream::cover::FileTree files;
  // What is in the folder and not in `files`, for the log: "/video.mp4: too large".
  std::vector<std::string> left_out;
};

// Reads all regular files of a folder and its sub-folders into memory, once, at start. Confined to
// it: symbolic links are left out wherever they lead, as are devices, sockets and pipes, names with
// control characters, single files over their limit, and names that start with a dot (.git,
// .htpasswd) but for .well-known. The folder itself may be a link.
Result<LoadedSite> load_site(const std::string& folder, const SiteLimits& limits = {});

}  // namespace karst::platform
