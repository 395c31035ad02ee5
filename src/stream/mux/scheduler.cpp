#include "stream/mux/scheduler.h"

#include <algorithm>

#include "base/check.h"

namespace karst::stream::mux {

void Scheduler::add(Flow& flow) {
  if (flow.list != Flow::List::none) return;
  // With nobody else there is nobody to be fair to.
  if (empty()) ++round_;
  if (flow.round != round_) {
    flow.round = round_;
    flow.sent_in_round = 0;
  }
  if (flow.sent_in_round < kInteractiveBytes) {
    flow.list = Flow::List::interactive;
    interactive_.push_back(&flow);
  } else {
    flow.list = Flow::List::bulk;
    bulk_.push_back(&flow);
  }
}

void Scheduler::remove(Flow& flow) {
  if (flow.list == Flow::List::interactive) std::erase(interactive_, &flow);
  if (flow.list == Flow::List::bulk) {
    if (bulk_.front() == &flow) turn_begun_ = false;
    std::erase(bulk_, &flow);
  }
  flow.list = Flow::List::none;
  flow.deficit = 0;
}

std::size_t Scheduler::allowance() {
  if (!interactive_.empty()) return kInteractiveBytes - interactive_.front()->sent_in_round;
  Flow& flow = *bulk_.front();
  if (!turn_begun_) flow.deficit += std::int64_t{kQuantumBytes};
  turn_begun_ = true;
  CHECK(flow.deficit > 0);
  return static_cast<std::size_t>(flow.deficit);
}

void Scheduler::served(std::size_t bytes, Next next) {
  Flow& flow = front();
  flow.sent_in_round += bytes;
  if (flow.list == Flow::List::bulk) {
    flow.deficit -= static_cast<std::int64_t>(bytes);
    if (next != Next::record_full || flow.deficit <= 0) end_turn(next);
    return;
  }
  const bool used_up = next == Next::turn_over || flow.sent_in_round >= kInteractiveBytes;
  if (next == Next::record_full && !used_up) return;
  interactive_.pop_front();
  flow.list = Flow::List::none;
  if (next == Next::nothing) return;
  flow.list = Flow::List::bulk;
  bulk_.push_back(&flow);
}

void Scheduler::end_turn(Next next) {
  Flow& flow = *bulk_.front();
  bulk_.pop_front();
  turn_begun_ = false;
  if (next == Next::nothing) {
    flow.list = Flow::List::none;
    flow.deficit = 0;
  } else {
    bulk_.push_back(&flow);
  }
  if (turns_left_ > 1) {
    --turns_left_;
  } else {
    ++round_;
    turns_left_ = bulk_.size();
  }
}

}  // namespace karst::stream::mux
