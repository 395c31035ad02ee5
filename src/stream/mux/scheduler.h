#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "wire/frame.h"
#include "wire/limits.h"

namespace karst::stream::mux {

// One thing that sends: a stream, or the IP packets of the link (control stream). Lives in its
// owner, which removes it from the scheduler before it dies.
struct Flow {
  enum class List : std::uint8_t { none, interactive, bulk };

  wire::StreamId stream = wire::kControlStream;
  List list = List::none;
  std::int64_t deficit = 0;
  std::uint64_t round = 0;  // in which sent_in_round was counted
  std::size_t sent_in_round = 0;
};

// Who sends next. Bulk flows take turns by deficit round robin (Shreedhar and Varghese): a quantum
// each, in a round in which each flow with something to send has one turn. A flow that has sent
// less than kInteractiveBytes in the current round is interactive and goes before all bulk. So a
// request, a keystroke or a small answer waits for nobody; a flow that sends more becomes bulk; and
// since an interactive flow may send only a quarter of a quantum in a round, it never gets more
// than its fair share by going first.
//
// Knows only flows that can send now. Stores pointers to them.
class Scheduler {
 public:
  // At least the largest packet with its header, so that each turn can send one.
  static constexpr std::size_t kQuantumBytes = wire::kPlaintextBytesMax;
  static constexpr std::size_t kInteractiveBytes = 4 * 1024;

  // Why a flow stopped: it has nothing more to send at present; what is left of its allowance is
  // too little; or the record is full, and it goes on in the next.
  enum class Next : std::uint8_t { nothing, turn_over, record_full };

  // The flow has something to send. Nothing happens if that is known.
  void add(Flow& flow);
  // The flow can no longer send or is about to die.
  void remove(Flow& flow);

  bool empty() const { return interactive_.empty() && bulk_.empty(); }
  // Whose turn it is; there is one.
  Flow& front() { return *(interactive_.empty() ? bulk_ : interactive_).front(); }
  // What the front may send in this turn, frame headers included, at least 1. The last packet of
  // a turn may go beyond it.
  std::size_t allowance();
  // The front has sent so many bytes.
  void served(std::size_t bytes, Next next);

 private:
  void end_turn(Next next);

  std::deque<Flow*> interactive_;
  std::deque<Flow*> bulk_;
  bool turn_begun_ = false;  // the front of bulk_ has had its quantum
  std::uint64_t round_ = 1;
  std::size_t turns_left_ = 0;  // of bulk flows in this round
};

// What one turn wrote into a record.
struct Turn {
  std::size_t bytes;
  Scheduler::Next next;
};

}  // namespace karst::stream::mux
