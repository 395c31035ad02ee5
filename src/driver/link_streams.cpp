#include "driver/link_streams.h"

#include <utility>

namespace karst::driver {

using namespace stream::mux;

LinkStreams::~LinkStreams() { end_all(wire::ResetReason::going_away); }

void LinkStreams::take_turns(KemShare& share, stream::Link& link) {
  kem_seat_.emplace(share, [this] { request_flush(); });
  link.set_kem_gate(&*kem_seat_);
}

StreamUser* LinkStreams::user_of(StreamId stream) const {
  const auto found = users_.find(stream);
  return found == users_.end() ? nullptr : found->second;
}

void LinkStreams::dispatch() {
  while (auto event = mux_.poll_event()) {
    if (const auto* opened = std::get_if<Opened>(&*event)) {
      if (opened_) opened_(*opened);
    } else if (const auto* answered = std::get_if<Answered>(&*event)) {
      StreamUser* user = user_of(answered->stream);
      if (answered->result.code != wire::OpenCode::ok) detach(answered->stream);
      if (user != nullptr) user->on_answered(answered->result);
    } else if (const auto* readable = std::get_if<Readable>(&*event)) {
      if (auto* user = user_of(readable->stream)) user->on_stream_readable();
    } else if (const auto* writable = std::get_if<Writable>(&*event)) {
      if (auto* user = user_of(writable->stream)) user->on_stream_writable();
    } else if (const auto* finished = std::get_if<Finished>(&*event)) {
      if (auto* user = user_of(finished->stream)) user->on_stream_finished();
    } else if (const auto* ended = std::get_if<Ended>(&*event)) {
      StreamUser* user = user_of(ended->stream);
      detach(ended->stream);
      if (user != nullptr) user->on_stream_ended(ended->reason);
    } else if (link_) {
      link_(*event);
    }
  }
}

void LinkStreams::end_all(wire::ResetReason reason) {
  while (!users_.empty()) {
    StreamUser* user = users_.begin()->second;
    users_.erase(users_.begin());
    user->on_stream_ended(reason);
  }
}

}  // namespace karst::driver
