#include "stream/tunnel_body.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace karst::stream {

using websocket::Opcode;

void TunnelBody::push(Bytes message) {
  CHECK(!closing_);
  ByteVector frame(encoder_.frame_bytes(message.size()));
  encoder_.encode(Opcode::binary, message, frame);
  frames_.push_back(std::move(frame));
}

void TunnelBody::pong(Bytes payload) {
  if (closing_) return;
  pong_.resize(encoder_.frame_bytes(payload.size()));
  encoder_.encode(Opcode::pong, payload, pong_);
}

void TunnelBody::push_last_record(TimePoint now) {
  if (source_ == nullptr || closing_) return;
  ByteVector record(RecordSource::kRecordBytesMax);
  record.resize(source_->poll_record(record, now));
  if (!record.empty()) push(record);
}

void TunnelBody::close(std::uint16_t code) {
  if (std::exchange(closing_, true)) return;
  source_ = nullptr;
  ByteVector frame(websocket::kMaxHeaderBytes + websocket::kMaxControlBytes);
  frame.resize(encoder_.encode_close(code, {}, frame));
  frames_.push_back(std::move(frame));
}

bool TunnelBody::stage_record() {
  if (source_ == nullptr) return false;
  // The record is made behind the room for the longest header; the real one ends where it begins.
  const MutableBytes space = MutableBytes(staged_).subspan(websocket::kMaxHeaderBytes);
  const std::size_t size = source_->poll_record(space, now_);
  if (size == 0) return false;
  const std::size_t header = encoder_.header_bytes(size);
  begin_ = websocket::kMaxHeaderBytes - header;
  end_ = websocket::kMaxHeaderBytes + size;
  encoder_.encode_in_place(Opcode::binary, MutableBytes(staged_).subspan(begin_, header + size));
  return true;
}

http2::BodySource::Chunk TunnelBody::next(std::size_t max) {
  if (begin_ == end_) {
    if (!pong_.empty()) {
      frames_.push_front(std::exchange(pong_, {}));
    }
    if (!frames_.empty()) {
      // Handshake messages and control frames are shorter than a record.
      CHECK(frames_.front().size() <= staged_.size());
      copy_bytes(staged_, frames_.front());
      begin_ = 0;
      end_ = frames_.front().size();
      frames_.pop_front();
    } else if (!stage_record()) {
      return {0, closing_};
    }
  }
  const std::size_t left = end_ - begin_;
  return {std::min(max, left), closing_ && frames_.empty() && left <= max};
}

void TunnelBody::write(MutableBytes space) {
  CHECK(space.size() <= end_ - begin_);
  copy_bytes(space, Bytes(staged_).subspan(begin_, space.size()));
  begin_ += space.size();
}

}  // namespace karst::stream
