#pragma once

#include <memory>

#include "stream/cover/answer.h"
#include "stream/cover/file_tree.h"

namespace karst::stream::cover {

// Answers from a FileTree: GET and HEAD with validators (ETag, Last-Modified), conditions
// (RFC 9110 section 13) and single ranges (section 14); index.html for a directory, a redirect to
// its slash; everything else is an error page. It knows nothing of WebSockets or limits.
class StaticSite {
 public:
  explicit StaticSite(FileTree files);
  // The body stays valid for as long as the answer's owner lives, also after this site is gone.
  Answer answer(const Request& request, const Moment& moment) const;

 private:
  std::shared_ptr<const FileTree> files_;
};

}  // namespace karst::stream::cover
