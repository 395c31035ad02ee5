#include "stream/http2/peer_budget.h"

#include <nghttp2/nghttp2.h>

namespace karst::stream::http2 {
namespace {

enum class Worth : std::uint8_t { nothing, neither, something };

Worth worth_of(Bytes header) {
  const bool empty = header[0] == 0 && header[1] == 0 && header[2] == 0;
  const std::uint8_t flags = header[4];
  switch (header[3]) {
    case NGHTTP2_HEADERS:
      return Worth::something;
    case NGHTTP2_DATA:
      if (!empty) return Worth::something;
      return (flags & NGHTTP2_FLAG_END_STREAM) != 0 ? Worth::neither : Worth::nothing;
    case NGHTTP2_SETTINGS:
      return (flags & NGHTTP2_FLAG_ACK) != 0 ? Worth::neither : Worth::nothing;
    case NGHTTP2_PRIORITY:
      return Worth::nothing;
    default:
      return header[3] > NGHTTP2_CONTINUATION ? Worth::nothing : Worth::neither;
  }
}

}  // namespace

bool PeerBudget::frame(Bytes header) {
  const Worth worth = worth_of(header);
  if (worth == Worth::nothing) return ++idle_frames_ <= kMaxIdleFrames;
  if (worth == Worth::something && idle_frames_ > 0) --idle_frames_;
  return true;
}

}  // namespace karst::stream::http2
