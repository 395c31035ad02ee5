// What nghttp2 tells a SessionCore, and how that becomes events for the visitor.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "stream/http2/error.h"
#include "stream/http2/session_core.h"

namespace karst::stream::http2 {
namespace {

bool ends_stream(const nghttp2_frame* frame) {
  return (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
}

}  // namespace

struct SessionCore::Callbacks {
  static SessionCore& core(void* user) { return *static_cast<SessionCore*>(user); }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    SessionCore& self = core(user);
    const bool opens = frame->headers.cat == NGHTTP2_HCAT_REQUEST;
    const StreamId id = frame->hd.stream_id;
    Stream* stream = opens ? &self.add_stream(id) : self.find(id);
    if (stream == nullptr || stream->head_done) return 0;
    stream->head = std::make_unique<HeadReader>(
        self.role_ == Role::server ? kRequestHeaderBytesMax : kResponseHeaderBytesMax);
    return 0;
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_bytes, const std::uint8_t* value, std::size_t value_bytes,
                       std::uint8_t flags, void* user) {
    Stream* stream = core(user).find(frame->hd.stream_id);
    if (stream != nullptr && stream->head != nullptr) {
      stream->head->add(as_text({name, name_bytes}), as_text({value, value_bytes}),
                        (flags & NGHTTP2_NV_FLAG_NO_INDEX) != 0);
    }
    return 0;
  }

  // Informational responses are dropped: another head follows them.
  static void headers_done(SessionCore& self, StreamId id) {
    Stream* stream = self.find(id);
    if (stream == nullptr || stream->head == nullptr) return;
    const auto head = std::exchange(stream->head, nullptr);
    if (self.role_ == Role::server) {
      stream->head_done = true;
      stream->told = true;
      self.visitor_.on_request(id, head->take_request());
    } else if (head->status() >= 200) {
      stream->head_done = true;
      self.visitor_.on_response(id, head->take_response());
    }
  }

  static int on_frame_recv(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    SessionCore& self = core(user);
    const StreamId id = frame->hd.stream_id;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        headers_done(self, id);
        if (ends_stream(frame)) end(self, id);
        break;
      case NGHTTP2_DATA:
        if (ends_stream(frame)) end(self, id);
        break;
      case NGHTTP2_RST_STREAM:
        if (!self.budget_.peer_reset()) {
          self.fail({kResetFlood, kEnhanceYourCalm}, kEnhanceYourCalm);
        }
        break;
      case NGHTTP2_SETTINGS:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) self.visitor_.on_settings();
        break;
      case NGHTTP2_GOAWAY:
        self.visitor_.on_goaway(frame->goaway.last_stream_id, frame->goaway.error_code);
        break;
      default:
        break;
    }
    return 0;
  }

  static void end(SessionCore& self, StreamId id) {
    const Stream* stream = self.find(id);
    if (stream != nullptr && stream->told) self.visitor_.on_end(id);
  }

  static int on_data(nghttp2_session*, std::uint8_t, StreamId id, const std::uint8_t* bytes,
                     std::size_t count, void* user) {
    SessionCore& self = core(user);
    if (count > 0 && self.find(id) != nullptr) self.visitor_.on_data(id, {bytes, count});
    return 0;
  }

  static int on_stream_close(nghttp2_session*, StreamId id, std::uint32_t code, void* user) {
    SessionCore& self = core(user);
    const auto found = self.streams_.find(id);
    if (found == self.streams_.end()) return 0;
    const bool told = found->second.told;
    self.streams_.erase(found);
    if (told) self.visitor_.on_closed(id, code);
    return 0;
  }

  // nghttp2 forgets credit for a stream that it has not opened yet.
  static void opened(SessionCore& self, StreamId id) {
    Stream* stream = self.find(id);
    if (stream == nullptr || std::exchange(stream->open, true)) return;
    self.raise_credit(id, std::exchange(stream->credit_due, 0));
  }

  static int on_frame_send(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    SessionCore& self = core(user);
    if (frame->hd.type == NGHTTP2_RST_STREAM && !self.budget_.own_reset()) {
      self.fail({kResetFlood, kEnhanceYourCalm}, kEnhanceYourCalm);
    }
    if (frame->hd.type == NGHTTP2_HEADERS) opened(self, frame->hd.stream_id);
    // Every GOAWAY of ours is the last word; one that nobody here asked for is nghttp2's judgement.
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      if (self.phase_ == Phase::running) {
        self.error_ = Error{kProtocol, static_cast<std::int64_t>(frame->goaway.error_code)};
      }
      self.phase_ = Phase::over;
    }
    return 0;
  }

  static nghttp2_ssize data_bytes_max(nghttp2_session*, std::uint8_t, std::int32_t, std::int32_t,
                                      std::int32_t, std::uint32_t, void*) {
    return kMaxDataBytes;
  }

  static int send_data(nghttp2_session*, nghttp2_frame*, const std::uint8_t* header,
                       std::size_t count, nghttp2_data_source* source, void* user) {
    Block& block = core(user).block_;
    if (block.room() < kFrameHeaderBytes + count) return NGHTTP2_ERR_WOULDBLOCK;
    block.append({header, kFrameHeaderBytes});
    if (count > 0) {
      static_cast<BodySource*>(source->ptr)->write(block.space.subspan(block.used, count));
      block.used += count;
    }
    // A full block: the next frame is chosen when it can be sent, not before.
    return block.room() <= kFrameHeaderBytes ? NGHTTP2_ERR_PAUSE : 0;
  }
};

const nghttp2_session_callbacks* SessionCore::callbacks() {
  static const nghttp2_session_callbacks* const made = [] {
    nghttp2_session_callbacks* all = nullptr;
    CHECK(nghttp2_session_callbacks_new(&all) == 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(all, Callbacks::on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(all, Callbacks::on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(all, Callbacks::on_frame_recv);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(all, Callbacks::on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(all, Callbacks::on_stream_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(all, Callbacks::on_frame_send);
    nghttp2_session_callbacks_set_data_source_read_length_callback2(all, Callbacks::data_bytes_max);
    nghttp2_session_callbacks_set_send_data_callback(all, Callbacks::send_data);
    return all;
  }();
  return made;
}

}  // namespace karst::stream::http2
