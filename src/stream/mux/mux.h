#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/ip.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "base/time.h"
#include "stream/mux/counters.h"
#include "stream/mux/event.h"
#include "stream/mux/limits.h"
#include "stream/mux/link_control.h"
#include "stream/mux/link_state.h"
#include "stream/mux/packet_sender.h"
#include "stream/mux/stream_set.h"
#include "stream/mux/wait_account.h"
#include "wire/datagram.h"
#include "wire/frame.h"

namespace karst::stream::mux {

// Which frames a record may hold: under a spent epoch only uncounted ones (docs/protocol/mux.md).
enum class Allowed : std::uint8_t { everything, uncounted };

// A record that poll_record() filled: `size` bytes of plaintext.
struct Record {
  std::size_t size;
  wire::RecordKind kind;  // counted or uncounted
};

// Why data does not move. `ready` means: not because of the multiplexer; it waits for poll_record.
enum class Blocked : std::uint8_t {
  idle,           // nothing waits to be sent
  ready,          // something could go into the next record
  stream_credit,  // the far sink of every stream with data has not taken enough
  link_credit,    // the far side of the whole link has not taken enough
};

// A moment's picture of the link.
struct LinkStatus {
  std::size_t streams = 0;  // not closed yet
  std::size_t send_queued_bytes = 0;
  std::size_t receive_queued_bytes = 0;
  std::uint64_t receive_window = 0;  // ours
  std::uint64_t send_window = 0;     // the peer's
};

// Bytes are numbered from the stream's first; both directions.
struct StreamStatus {
  std::uint64_t sent = 0;
  std::uint64_t taken_by_peer = 0;  // below this nothing needs to be kept
  std::uint64_t send_limit = 0;
  std::size_t send_queued_bytes = 0;
  std::uint64_t received = 0;
  std::uint64_t taken = 0;
  std::uint64_t receive_window = 0;
  WaitAccount waits;  // of the sending direction
};

// The multiplexer of one link of the stream carrier: streams and packets above, the plaintext of
// sealed records below. It does no I/O, seals nothing, reads no clock, and sets no timer. It does
// not look at OFFER and ACK: those records are the ratchet's (wire/frame.h).
//
// Order of calls. The owner hands in each opened record (handle_record) and fills records
// (poll_record) while it can seal and send, until nullopt; after either it drains poll_event().
// Users' calls may come at any time between. After handle_record has failed the link is over: one
// GOAWAY can still be polled, nothing else happens, and no call does harm.
//
// A stream that has ended (Ended, or a failed Answered) is unknown from then on; a call that names
// it, or one that has been closed on both sides, does nothing and reports nothing to read and no
// room. So the owner need not look out for an event that it has not polled yet.
//
// Ownership: borrows the MemoryBudget, which is shared with other links. One thread.
class Mux {
 public:
  Mux(Role role, const Limits& limits, MemoryBudget& budget, TimePoint now);
  Mux(const Mux&) = delete;
  Mux& operator=(const Mux&) = delete;

  // ---- Streams.

  // Client only. The target's name is one of wire/target.h. Bytes may be sent at once; they
  // travel with the OPEN. kTooManyStreams, kGoingAway, kStreamsUsedUp.
  Result<StreamId> open(const wire::Open& open);
  // Server only, once for each Opened. Bytes may be sent from then on. After refuse() (code not
  // ok) the stream is over.
  void accept(StreamId stream, const std::optional<Endpoint>& bound);
  void refuse(StreamId stream, wire::OpenCode code);

  // How many bytes the stream takes at present.
  std::size_t send_room(StreamId stream) const;
  // Space for the next bytes, at most send_room(), in which a socket can read; commit_send() says
  // how many were put there, 0 included. Empty if there is no room: a Writable will follow. The
  // space lives until the next call.
  MutableBytes prepare_send(StreamId stream);
  void commit_send(StreamId stream, std::size_t written);
  // Copies as much as there is room for and returns how much that was.
  std::size_t send(StreamId stream, Bytes bytes);
  // No more will be sent; FIN follows what is queued. The other direction goes on.
  void finish(StreamId stream);
  // Ends both directions; what is queued is dropped.
  void reset(StreamId stream, wire::ResetReason reason);

  // The bytes that came in and are not consumed, in order; fills `runs` and returns how many it
  // filled. They live until the next call that names the stream and the next handle_record().
  std::size_t received(StreamId stream, std::span<Bytes> runs) const;
  std::size_t received_bytes(StreamId stream) const;
  // The sink has taken this many of them: what gives credit back to the peer.
  void consume_received(StreamId stream, std::size_t count, TimePoint now);
  // The peer's FIN has come and everything is consumed. Never true of an unknown stream.
  bool at_end(StreamId stream) const;

  // ---- Packets. Unreliable: the oldest is dropped when a queue is full.

  // An IP packet, not empty. kPacketTooLong.
  Result<void> send_packet(Bytes packet, TimePoint now);
  // Copies the next packet to the front of `space`, which holds kFramePayloadBytesMax.
  std::optional<std::size_t> receive_packet(MutableBytes space);
  // A datagram of a UDP association. kPacketTooLong.
  Result<void> send_datagram(StreamId stream, const wire::Datagram& datagram, TimePoint now);
  // Copies the next datagram into `space`, which holds kFramePayloadBytesMax; the result's payload
  // lies in it.
  std::optional<wire::Datagram> receive_datagram(StreamId stream, MutableBytes space);

  // ---- Link.

  // The time of the calls that are not told it, until one that is: what a stream waits for is
  // accounted by it (StreamStatus::waits).
  void tell_time(TimePoint now) { link_.now = std::max(link_.now, now); }

  // The path's round trip, smoothed: what the growth of windows and CoDel go by.
  void set_rtt(Duration rtt);
  // Nothing happens while an earlier one is not answered.
  void ping();
  // How many streams this link's client may have, where that is less than the Limits both know: a
  // server refuses those beyond it (OpenCode::limit), a client opens none (kTooManyStreams).
  void limit_streams(std::size_t count) { streams_.limit_streams(count); }
  // No OPEN after those seen (server) or made (client) so far. Only the first call counts.
  void go_away(wire::GoAwayReason reason);
  // The reason that this end has given the peer, and that the peer has given; if any.
  std::optional<wire::GoAwayReason> goaway_sent() const { return control_.goaway_sent(); }
  std::optional<wire::GoAwayReason> goaway_received() const { return control_.goaway_received(); }
  // Sent in the next counted record; a later report replaces one that has not gone.
  void set_report(const wire::Report& report);
  std::optional<Event> poll_event();

  // ---- Records.

  // The plaintext of an authentic record that is not the ratchet's. An error is for good.
  Result<void> handle_record(Bytes plaintext, TimePoint now);
  // Fills the front of `space` with as many ready frames as fit, or nullopt if none is ready (or
  // the first does not fit). Give kPlaintextBytesMax where possible: a packet is never split.
  std::optional<Record> poll_record(MutableBytes space, Allowed allowed, TimePoint now);

  // ---- What limits it.

  Blocked blocked() const;
  Blocked blocked(StreamId stream) const;
  const Counters& counters() const { return link_.counters; }
  LinkStatus status() const;
  std::optional<StreamStatus> status(StreamId stream) const;
  // Calls visit(StreamId, wire::StreamKind) for each stream that is not closed.
  template <typename Visit>
  void for_each_stream(const Visit& visit) const {
    streams_.table().for_each([&](const Stream& stream) { visit(stream.id, stream.kind); });
  }

 private:
  struct Packets {
    PacketSender out;
    PacketQueue in;
    Flow flow;
    MemoryCharge charge;
  };

  Result<void> handle_frames(Bytes plaintext, TimePoint now);
  Result<void> handle_packet(Bytes packet, TimePoint now);
  void write_frames(RecordWriter& record, Allowed allowed, TimePoint now);
  void write_flows(RecordWriter& record, TimePoint now);
  void fail(const Error& error);
  void recharge_packets();

  LinkState link_;
  LinkControl control_;
  StreamSet streams_;
  Packets packets_;
  std::size_t early_bytes_ = 0;  // sent so far, up to kEarlyBytes
  std::optional<Error> failure_;
};

}  // namespace karst::stream::mux
