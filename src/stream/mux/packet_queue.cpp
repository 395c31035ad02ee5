#include "stream/mux/packet_queue.h"

#include "base/check.h"

namespace karst::stream::mux {

std::size_t PacketQueue::push(Bytes head, Bytes body, std::size_t limit, TimePoint now) {
  bytes_.append(head);
  bytes_.append(body);
  packets_.push_back({head.size() + body.size(), now});
  std::size_t dropped = 0;
  for (; held() > limit; ++dropped) drop_front();
  return dropped;
}

void PacketQueue::pop(MutableBytes out) {
  CHECK(out.size() == front_size());
  bytes_.copy_out(0, out);
  drop_front();
}

void PacketQueue::drop_front() {
  bytes_.consume(front_size());
  packets_.pop_front();
  if (bytes_.empty()) bytes_.release_spare();
}

}  // namespace karst::stream::mux
