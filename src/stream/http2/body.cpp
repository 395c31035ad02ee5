#include "stream/http2/body.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace karst::stream::http2 {

void MessageQueue::push(ByteVector message) {
  CHECK(!finished_);
  if (message.empty()) return;
  bytes_ += message.size();
  messages_.push_back(std::move(message));
}

BodySource::Chunk MessageQueue::next(std::size_t max) {
  if (messages_.empty()) return {0, finished_};
  const std::size_t left = messages_.front().size() - written_;
  return {std::min(max, left), finished_ && messages_.size() == 1 && left <= max};
}

void MessageQueue::write(MutableBytes space) {
  copy_bytes(space, Bytes(messages_.front()).subspan(written_, space.size()));
  written_ += space.size();
  bytes_ -= space.size();
  if (written_ < messages_.front().size()) return;
  messages_.pop_front();
  written_ = 0;
}

}  // namespace karst::stream::http2
