#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/time.h"
#include "stream/mux/allowance.h"
#include "stream/mux/link_state.h"
#include "stream/mux/record_writer.h"
#include "wire/frame.h"
#include "wire/goaway.h"
#include "wire/ping.h"
#include "wire/report.h"

namespace karst::stream::mux {

// PING, PONG, GOAWAY and REPORT of one link. Holds at most one of each to send.
class LinkControl {
 public:
  LinkControl(LinkState& link, TimePoint now);

  void ping();
  // Only the first call counts.
  void go_away(const wire::GoAway& goaway);
  // Nothing but this, unless a GOAWAY has already been sent.
  void close(const wire::GoAway& goaway);
  bool going_away() const { return goaway_sent_ || goaway_received_; }
  // What was said to the peer (or is due), and what it said; nothing while nothing was.
  std::optional<wire::GoAwayReason> goaway_sent() const { return goaway_sent_; }
  std::optional<wire::GoAwayReason> goaway_received() const { return goaway_received_; }
  void set_report(const wire::Report& report) { report_due_ = report; }

  // A frame of one of these types. kPingFlood, kPongUnexpected, kGoAwayTwice.
  Result<void> handle(const wire::Frame& frame, TimePoint now);

  // Writes what is due and fits, but no REPORT; false if something is left.
  bool write(RecordWriter& record, TimePoint now);
  void write_report(RecordWriter& record);

 private:
  enum class PingState : std::uint8_t { none, due, sent };

  Result<void> handle_pong(Bytes payload, TimePoint now);
  Result<void> handle_goaway(Bytes payload);

  LinkState& link_;
  PingState ping_ = PingState::none;
  std::uint64_t token_ = 0;
  TimePoint pinged_{};
  std::optional<wire::Ping> pong_due_;
  std::optional<wire::GoAway> goaway_due_;
  std::optional<wire::GoAwayReason> goaway_sent_;  // or due
  std::optional<wire::GoAwayReason> goaway_received_;
  std::optional<wire::Report> report_due_;
  Allowance allowance_;
};

}  // namespace karst::stream::mux
