#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "driver/kem_share.h"
#include "driver/pace.h"
#include "driver/ports.h"
#include "stream/link.h"

namespace karst::driver {

using stream::mux::StreamId;

// Whoever uses one stream of a link: told what the multiplexer says about it. A callback may end
// the stream and destroy the user.
class StreamUser {
 public:
  // Client only: the server's answer to the OPEN. Unless the code is ok the stream is over.
  virtual void on_answered(const wire::OpenResult& result) = 0;
  virtual void on_stream_readable() = 0;
  virtual void on_stream_writable() = 0;
  // The peer's FIN; what is still to be read is the last.
  virtual void on_stream_finished() = 0;
  // The stream is gone, together with everything queued on it. The link may be gone too.
  virtual void on_stream_ended(wire::ResetReason reason) = 0;

 protected:
  ~StreamUser() = default;
};

// The streams of one link and who uses them: hands the multiplexer's events out. Lives as long as
// the link. One thread.
class LinkStreams {
 public:
  using OpenedHandler = std::move_only_function<void(const stream::mux::Opened&)>;
  using LinkHandler = std::move_only_function<void(const stream::mux::Event&)>;

  // `flush` asks for the link's output to be moved at the end of the turn.
  LinkStreams(stream::mux::Mux& mux, Ports& ports, Callback flush)
      : mux_(mux), ports_(ports), flush_(std::move(flush)) {}
  ~LinkStreams();
  LinkStreams(const LinkStreams&) = delete;
  LinkStreams& operator=(const LinkStreams&) = delete;

  // It knows what time it is: a link that was quiet has heard of none for long.
  stream::mux::Mux& mux() {
    mux_.tell_time(ports_.now());
    return mux_;
  }
  void request_flush() { flush_(); }

  // Server only: what to do with a stream that the client opened.
  void set_opened_handler(OpenedHandler handler) { opened_ = std::move(handler); }
  // Events that belong to no stream.
  void set_link_handler(LinkHandler handler) { link_ = std::move(handler); }

  // Server only: how fast the client's bytes may move. Null: as fast as they can.
  void set_pace(std::shared_ptr<Pace> pace) { pace_ = std::move(pace); }
  const std::shared_ptr<Pace>& pace() const { return pace_; }
  // The link's KEM work waits for its turn among the links of this loop.
  void take_turns(KemShare& share, stream::Link& link);

  void attach(StreamId stream, StreamUser& user) { users_[stream] = &user; }
  // Asks for a flush, after which the owner may find that nobody is left.
  void detach(StreamId stream) {
    if (users_.erase(stream) > 0) flush_();
  }
  std::size_t attached() const { return users_.size(); }

  // Hands out all events that wait.
  void dispatch();
  // The link is lost: every user is told so. Nothing may be attached any more.
  void end_all(wire::ResetReason reason);

 private:
  StreamUser* user_of(StreamId stream) const;

  stream::mux::Mux& mux_;
  Ports& ports_;
  Callback flush_;
  OpenedHandler opened_;
  LinkHandler link_;
  std::shared_ptr<Pace> pace_;
  std::unordered_map<StreamId, StreamUser*> users_;
  std::optional<KemShare::Seat> kem_seat_;
};

}  // namespace karst::driver
