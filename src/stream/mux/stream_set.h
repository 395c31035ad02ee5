#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/ip.h"
#include "base/result.h"
#include "base/time.h"
#include "stream/mux/link_state.h"
#include "stream/mux/receive_credit.h"
#include "stream/mux/record_writer.h"
#include "stream/mux/send_credit.h"
#include "stream/mux/stream_table.h"
#include "wire/datagram.h"
#include "wire/frame.h"

namespace karst::stream::mux {

// All streams of one link: opening, bytes, datagrams, credit and the end, in both directions. Mux
// is its only user and forwards to it; the contract of each call is in mux.h.
//
// What is to be written is kept in three places, written in this order: streams whose CREDIT is
// due, streams with DueFrames, and the flows in the link's scheduler. A stream is in each of them
// at most once, so what waits is bounded by the number of streams.
class StreamSet {
 public:
  explicit StreamSet(LinkState& link);
  ~StreamSet() { clear(); }

  // ---- For the user.
  Result<StreamId> open(const wire::Open& open);
  void accept(StreamId id, const std::optional<Endpoint>& bound);
  void refuse(StreamId id, wire::OpenCode code);
  std::size_t send_room(StreamId id) const;
  MutableBytes prepare_send(StreamId id);
  void commit_send(StreamId id, std::size_t written);
  void finish(StreamId id);
  void reset(StreamId id, wire::ResetReason reason);
  const Stream* find(StreamId id) const { return table_.find(id); }
  void consume_received(StreamId id, std::size_t count, TimePoint now);
  Result<void> send_datagram(StreamId id, const wire::Datagram& datagram, TimePoint now);
  std::optional<wire::Datagram> receive_datagram(StreamId id, MutableBytes space);
  // The event is about to be handed out; false if its stream is gone.
  bool handed_out(Readable& event);
  bool handed_out(Finished& event);

  void limit_streams(std::size_t count);

  // ---- From the peer: a frame of a stream, or CREDIT for the link.
  Result<void> handle(const wire::Frame& frame, TimePoint now);

  // ---- To the peer. Both write until nothing is left (true) or the record is full (false).
  bool write_credit(RecordWriter& record);
  bool write_due(RecordWriter& record);
  // The flow of a stream has its turn; after_turn() follows when the scheduler knows of it.
  Turn write(Flow& flow, RecordWriter& record, std::size_t allowance, TimePoint now);
  void after_turn(StreamId id);
  bool frames_due() const { return !due_.empty(); }

  // ---- For the link.
  // From now on each OPEN is answered by RESET. The last stream that was opened.
  StreamId stop_accepting();
  // Drops everything.
  void clear();
  const StreamTable& table() const { return table_; }
  const SendCredit& send_credit() const { return send_credit_; }
  const ReceiveCredit& receive_credit() const { return receive_credit_; }

 private:
  Result<void> count_from_peer(const wire::Frame& frame);
  Result<Stream*> lookup(const wire::Frame& frame) const;
  Result<void> dispatch(Stream& stream, const wire::Frame& frame, TimePoint now);
  Result<void> handle_open(const wire::Frame& frame);
  Result<void> handle_open_result(Stream& stream, Bytes payload);
  Result<void> handle_data(Stream& stream, Bytes payload, TimePoint now);
  Result<void> handle_fin(Stream& stream, Bytes payload);
  Result<void> handle_reset(Stream& stream, Bytes payload);
  Result<void> handle_stream_credit(Stream& stream, Bytes payload);
  Result<void> handle_datagram(Stream& stream, Bytes payload, TimePoint now);

  Turn write_data(Stream& stream, RecordWriter& record, std::size_t allowance);
  bool write_due(Stream& stream, RecordWriter& record);
  std::size_t send_cap(const Stream& stream) const;

  Stream* open_stream(StreamId id) const;  // null unless it is there and open
  void list_due(Stream& stream);
  void list_credit(Stream& stream);
  void forget_events(StreamId id);
  void drop_queues(Stream& stream);
  void end_by_us(Stream& stream);
  void end_by_peer(Stream& stream);
  void close_if_done(Stream& stream);
  void remove(Stream& stream);
  void tell_readable(Stream& stream);
  void recharge(Stream& stream);
  void relieve_memory();

  LinkState& link_;
  StreamTable table_;
  std::size_t streams_max_;  // of this client; at most the Limits'
  SendCredit send_credit_;
  ReceiveCredit receive_credit_;
  std::deque<StreamId> credit_due_;
  std::deque<StreamId> due_;
  struct Totals {
    std::size_t send_queued = 0;    // bytes
    std::size_t datagrams_out = 0;  // as PacketQueue::held
    std::size_t datagrams_in = 0;
  } totals_;
  struct FromPeer {
    std::uint64_t resets = 0;
    std::uint64_t credits = 0;
  } from_peer_;
  bool accepting_ = true;
};

}  // namespace karst::stream::mux
