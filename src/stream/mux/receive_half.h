#pragma once

#include <cstdint>

#include "base/byte_queue.h"
#include "base/bytes.h"
#include "base/result.h"
#include "stream/mux/receive_window.h"
#include "wire/credit.h"
#include "wire/limits.h"

namespace karst::stream::mux {

// The receiving direction of one stream: what came in, what the sink has taken, and what the peer
// has been told of both.
class ReceiveHalf {
 public:
  const ByteQueue& queue() const { return queue_; }
  std::uint64_t received() const { return received_; }
  std::uint64_t taken() const { return received_ - queue_.size(); }
  // What counts against the link's window: not said to be taken. Nothing once dropped.
  std::uint64_t outstanding() const { return dropped_ ? 0 : received_ - reported_; }
  std::uint64_t unreported() const { return taken() - reported_; }
  // The window has grown since the peer was last told.
  bool grown() const { return reported_ + window_.size() > limit_; }
  bool finished() const { return finished_; }
  // FIN has come, and everything is taken and said to be.
  bool done() const { return finished_ && outstanding() == 0; }
  ReceiveWindow& window() { return window_; }
  const ReceiveWindow& window() const { return window_; }

  // kAfterFin, kBeyondStreamCredit. Once dropped the bytes are only counted.
  Result<void> handle_data(Bytes bytes);
  // kAfterFin, kFinalWrong.
  Result<void> handle_fin(std::uint64_t final);
  // The sink has taken so many bytes, all of which are in the queue.
  void consume(std::size_t count);
  // Whatever is queued or yet to come is not wanted.
  void drop();

  // The next CREDIT, which the caller sends.
  wire::StreamCredit report();

 private:
  ByteQueue queue_;
  std::uint64_t received_ = 0;
  std::uint64_t reported_ = 0;
  std::uint64_t limit_ = wire::kStreamWindowInitial;  // as far as the peer has been told
  ReceiveWindow window_{wire::kStreamWindowInitial};
  bool finished_ = false;
  bool dropped_ = false;
};

}  // namespace karst::stream::mux
