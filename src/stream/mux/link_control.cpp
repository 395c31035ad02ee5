#include "stream/mux/link_control.h"

#include "stream/mux/error.h"

namespace karst::stream::mux {

using wire::FrameType;
using wire::kControlStream;

LinkControl::LinkControl(LinkState& link, TimePoint now)
    : link_(link), allowance_(kPingBurst, kPingsPerSecond, now) {}

void LinkControl::ping() {
  if (ping_ != PingState::none) return;
  ping_ = PingState::due;
  ++token_;
}

void LinkControl::go_away(const wire::GoAway& goaway) {
  if (goaway_sent_) return;
  goaway_sent_ = goaway.reason;
  goaway_due_ = goaway;
}

void LinkControl::close(const wire::GoAway& goaway) {
  ping_ = PingState::none;
  pong_due_.reset();
  report_due_.reset();
  go_away(goaway);
}

Result<void> LinkControl::handle(const wire::Frame& frame, TimePoint now) {
  if (frame.type == FrameType::goaway) return handle_goaway(frame.payload);
  // One that answers no PING of ours is an error; of the others there are as many as those.
  if (frame.type == FrameType::pong) return handle_pong(frame.payload, now);
  if (!allowance_.take(now)) return kPingFlood;
  if (frame.type == FrameType::ping) {
    // Of several that came before we could answer only the last is answered: a correct peer has
    // one outstanding.
    TRY_ASSIGN(pong_due_, wire::parse_ping(frame.payload));
    return {};
  }
  TRY_ASSIGN(wire::Report report, wire::parse_report(frame.payload));
  link_.events.emplace_back(Reported{std::move(report)});
  return {};
}

Result<void> LinkControl::handle_pong(Bytes payload, TimePoint now) {
  TRY_ASSIGN(const wire::Ping pong, wire::parse_ping(payload));
  if (ping_ != PingState::sent || pong.token != token_) return kPongUnexpected;
  ping_ = PingState::none;
  link_.events.emplace_back(PongReceived{now - pinged_});
  return {};
}

Result<void> LinkControl::handle_goaway(Bytes payload) {
  if (goaway_received_) return kGoAwayTwice;
  TRY_ASSIGN(const wire::GoAway goaway, wire::parse_goaway(payload));
  goaway_received_ = goaway.reason;
  link_.events.emplace_back(GoingAway{goaway});
  return {};
}

bool LinkControl::write(RecordWriter& record, TimePoint now) {
  if (pong_due_) {
    if (!record.fits(wire::kPingBytes)) return false;
    format(*pong_due_, record.frame(FrameType::pong, kControlStream, wire::kPingBytes));
    pong_due_.reset();
  }
  if (ping_ == PingState::due) {
    if (!record.fits(wire::kPingBytes)) return false;
    format(wire::Ping{token_}, record.frame(FrameType::ping, kControlStream, wire::kPingBytes));
    ping_ = PingState::sent;
    pinged_ = now;
  }
  if (goaway_due_) {
    if (!record.fits(wire::kGoAwayBytes)) return false;
    format(*goaway_due_, record.frame(FrameType::goaway, kControlStream, wire::kGoAwayBytes));
    goaway_due_.reset();
  }
  return true;
}

void LinkControl::write_report(RecordWriter& record) {
  if (!report_due_ || !record.fits(formatted_size(*report_due_))) return;
  format(*report_due_,
         record.frame(FrameType::report, kControlStream, formatted_size(*report_due_)));
  report_due_.reset();
}

}  // namespace karst::stream::mux
