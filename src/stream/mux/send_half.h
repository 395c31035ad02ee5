#pragma once

#include <cstdint>

#include "base/byte_queue.h"
#include "base/bytes.h"
#include "base/result.h"
#include "wire/credit.h"
#include "wire/limits.h"

namespace karst::stream::mux {

// The sending direction of one stream: what waits, what was sent, what the peer allows.
class SendHalf {
 public:
  enum class State : std::uint8_t {
    open,
    finishing,  // FIN follows what is queued
    finished,   // FIN is sent
    dropped,    // reset before FIN was sent: nothing more is queued or sent
  };

  State state() const { return state_; }
  const ByteQueue& queue() const { return queue_; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t taken() const { return taken_; }
  std::uint64_t limit() const { return limit_; }
  // What counts against the link's window.
  std::uint64_t outstanding() const { return sent_ - taken_; }
  // Everything is sent, FIN included, and taken.
  bool done() const { return state_ == State::finished && taken_ == sent_; }

  // While open: as ByteQueue. A commit of nothing gives back the memory of an empty queue.
  MutableBytes prepare() { return queue_.prepare(); }
  void commit(std::size_t written);
  void finish();
  void drop();
  // Nothing is outstanding any more: the peer will drop what it did not take.
  void forget_sent() { taken_ = sent_; }

  // How many bytes the queue and the stream's credit let go now.
  std::size_t sendable() const;
  // FIN is next.
  bool fin_due() const { return state_ == State::finishing && queue_.empty(); }
  // Moves the next bytes, at most sendable(), into `out`.
  void write(MutableBytes out);
  void fin_sent();

  // kCreditBackwards, kCreditBeyondSent.
  Result<void> handle_credit(const wire::StreamCredit& credit);

 private:
  ByteQueue queue_;
  std::uint64_t sent_ = 0;
  std::uint64_t taken_ = 0;  // as far as the peer has said
  std::uint64_t limit_ = wire::kStreamWindowInitial;
  State state_ = State::open;
};

}  // namespace karst::stream::mux
