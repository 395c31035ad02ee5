#pragma once

#include <memory>

#include "driver/link_streams.h"
#include "driver/ports.h"

namespace karst::driver {

// How long a connection may stay half-closed while nothing moves in the direction that is open, as
// nginx has it for streams: someone may still compute an answer to a request that has ended, but
// who is gone and who ignores that must not hold a descriptor until the link ends.
inline constexpr Duration kHalfClosedTime = std::chrono::minutes(10);

// Joins one TCP connection with one stream of a link, both directions, half-close kept: the end of
// one side's output becomes the end of the other's input, and an abrupt end on either side is
// abrupt on the other, and so is an end of this process; but what was complete is still delivered.
// A connection that is open both ways may be
// idle for ever. The socket is read straight into the stream's queue and written straight from it;
// neither side is read faster than the other takes, or than the link's pace allows. Owned by
// whoever made the stream; `done` is called once, from a callback, when both directions have ended,
// and may destroy the relay.
class TcpRelay final : private TcpStream::Handler, private StreamUser, private Pace::Waiter {
 public:
  // The stream is open, the socket connected. Attaches itself; moves what is already there.
  TcpRelay(std::unique_ptr<TcpStream> socket, LinkStreams& streams, StreamId stream, Ports& ports,
           Callback done);
  ~TcpRelay();
  TcpRelay(const TcpRelay&) = delete;
  TcpRelay& operator=(const TcpRelay&) = delete;

  // What had already ended when the relay took over.
  struct Ended {
    bool stream = false;  // the peer's FIN has come
    bool socket = false;  // the socket's end was read and passed on
  };
  // Once, after construction and outside of a callback of the relay: starts moving.
  void start(Ended ended);

 private:
  void on_connected(Result<void>) override {}
  void on_readable() override;
  void on_writable() override;
  void on_answered(const wire::OpenResult&) override {}
  void on_stream_readable() override { write_socket(); }
  void on_stream_writable() override;
  void on_stream_finished() override;
  void on_stream_ended(wire::ResetReason reason) override;

  void on_pace(Pace::Direction direction) override;
  // What may move in that direction now; if nothing, on_pace() follows.
  std::size_t paced_room(Pace::Direction direction);
  void paced(Pace::Direction direction, std::size_t bytes);
  void write_socket();
  void update_interest();
  void abort_if_incomplete();
  void fail(wire::ResetReason reason);
  // To be called when `bytes` have moved or a direction may have ended.
  void note_progress(std::size_t bytes);
  void handle_timer();
  void finish_if_done();
  void finish();

  std::unique_ptr<TcpStream> socket_;
  LinkStreams* streams_;
  const StreamId stream_;
  Ports& ports_;
  Callback done_;
  const std::shared_ptr<Pace> pace_;
  std::unique_ptr<Timer> half_closed_;  // from when one direction has ended
  TimePoint moved_at_{};
  bool reading_ = true;       // the socket has not ended its output
  bool read_paused_ = false;  // the stream has no room
  bool read_paced_ = false;   // the client's rate is used up
  bool writing_ = true;       // the stream has not ended, or not all is written
  bool write_blocked_ = false;
  bool finished_ = false;  // the peer's FIN came
};

}  // namespace karst::driver
