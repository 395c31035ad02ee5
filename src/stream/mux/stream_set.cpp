#include "stream/mux/stream_set.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/check.h"
#include "stream/mux/error.h"
#include "wire/fin.h"

namespace karst::stream::mux {
namespace {

using wire::FrameType;
using wire::StreamKind;
using Life = Stream::Life;
using Next = Scheduler::Next;

// A remainder of a turn or of a record below this is not worth a frame of its own.
constexpr std::size_t kSliverBytes = 64;

std::int64_t number(StreamId id) { return static_cast<std::int64_t>(id); }

}  // namespace

StreamSet::StreamSet(LinkState& link)
    : link_(link),
      streams_max_(link.limits.streams),
      send_credit_(link),
      receive_credit_(link.limits, link.budget) {}

void StreamSet::limit_streams(std::size_t count) {
  streams_max_ = std::min(count, link_.limits.streams);
}

// ---------------------------------------------------------------- opening

Result<StreamId> StreamSet::open(const wire::Open& open) {
  CHECK(link_.role == Role::client);
  if (table_.size() >= streams_max_) return kTooManyStreams;
  if (table_.next() == 0) return kStreamsUsedUp;
  Stream& stream = table_.add(open.kind(), link_.budget);
  ++link_.counters.streams_opened;
  stream.may_send = true;
  stream.due.open = open;
  list_due(stream);
  send_credit_.activate(stream);
  return stream.id;
}

Result<void> StreamSet::handle_open(const wire::Frame& frame) {
  if (link_.role != Role::server) return kOpenFromServer;
  if (table_.was_opened(frame.stream)) return kStreamReused;
  if (static_cast<std::uint32_t>(frame.stream) != table_.next()) return kStreamOutOfOrder;
  if (table_.size() >= link_.limits.streams) return kTooManyStreams;
  TRY_ASSIGN(wire::Open open, wire::parse_open(frame.payload));
  Stream& stream = table_.add(open.kind(), link_.budget);
  ++link_.counters.streams_opened;
  if (!accepting_) {
    reset(stream.id, wire::ResetReason::going_away);
    return {};
  }
  // Not the client's fault: it may open streams before it is told of its own limit.
  if (table_.size() > streams_max_) {
    refuse(stream.id, wire::OpenCode::limit);
    return {};
  }
  link_.events.emplace_back(Opened{stream.id, std::move(open)});
  return {};
}

void StreamSet::accept(StreamId id, const std::optional<Endpoint>& bound) {
  Stream* stream = open_stream(id);
  if (!stream) return;
  CHECK(link_.role == Role::server && stream->pending && !stream->due.result);
  stream->due.result = wire::OpenResult{wire::OpenCode::ok, bound};
  stream->may_send = true;
  list_due(*stream);
  send_credit_.activate(*stream);
}

void StreamSet::refuse(StreamId id, wire::OpenCode code) {
  Stream* stream = open_stream(id);
  if (!stream) return;
  CHECK(link_.role == Role::server && stream->pending && !stream->due.result);
  CHECK(code != wire::OpenCode::ok);
  drop_queues(*stream);
  forget_events(id);
  stream->life = Life::ending;
  stream->due.result = wire::OpenResult{code, std::nullopt};
  list_due(*stream);
}

Result<void> StreamSet::handle_open_result(Stream& stream, Bytes payload) {
  if (link_.role != Role::client) return kResultFromClient;
  if (!stream.pending) return kResultUnexpected;
  TRY_ASSIGN(const wire::OpenResult result, wire::parse_open_result(payload));
  if (stream.life == Life::open) link_.events.emplace_back(Answered{stream.id, result});
  stream.pending = false;
  if (result.code != wire::OpenCode::ok) end_by_peer(stream);
  return {};
}

StreamId StreamSet::stop_accepting() {
  accepting_ = false;
  return table_.last();
}

// ---------------------------------------------------------------- the user's bytes

Stream* StreamSet::open_stream(StreamId id) const {
  Stream* stream = table_.find(id);
  return stream && stream->life == Life::open ? stream : nullptr;
}

// What the stream may have queued to send at present.
std::size_t StreamSet::send_cap(const Stream& stream) const {
  const std::size_t others = totals_.send_queued - stream.send.queue().size();
  const std::size_t left = kLinkSendQueueBytes - std::min(kLinkSendQueueBytes, others);
  return std::clamp(std::min(left, link_.budget.share()), ByteQueue::kChunkBytes, kSendQueueBytes);
}

std::size_t StreamSet::send_room(StreamId id) const {
  const Stream* stream = open_stream(id);
  if (!stream || stream->kind != StreamKind::tcp || !stream->may_send) return 0;
  if (stream->send.state() != SendHalf::State::open) return 0;
  const std::size_t queued = stream->send.queue().size();
  return send_cap(*stream) - std::min(send_cap(*stream), queued);
}

MutableBytes StreamSet::prepare_send(StreamId id) {
  const std::size_t room = send_room(id);
  if (room == 0) {
    if (Stream* stream = open_stream(id)) stream->wants_room = true;
    return {};
  }
  const MutableBytes space = open_stream(id)->send.prepare();
  return space.first(std::min(space.size(), room));
}

void StreamSet::commit_send(StreamId id, std::size_t written) {
  Stream* stream = open_stream(id);
  if (!stream || stream->send.state() != SendHalf::State::open) return;
  stream->send.commit(written);
  totals_.send_queued += written;
  recharge(*stream);
  send_credit_.activate(*stream);
}

void StreamSet::finish(StreamId id) {
  Stream* stream = open_stream(id);
  if (!stream) return;
  stream->send.finish();
  send_credit_.activate(*stream);
}

void StreamSet::consume_received(StreamId id, std::size_t count, TimePoint now) {
  Stream* stream = open_stream(id);
  if (!stream || count == 0) return;
  stream->receive.consume(count);
  recharge(*stream);
  if (receive_credit_.handle_taken(stream->receive, count, table_.size(), now, link_.rtt)) {
    list_credit(*stream);
  }
}

bool StreamSet::handed_out(Readable& event) {
  Stream* stream = open_stream(event.stream);
  if (stream) stream->readable_told = false;
  return stream != nullptr;
}

bool StreamSet::handed_out(Finished& event) {
  // A stream that is closed was read to its end.
  const Stream* stream = table_.find(event.stream);
  event.at_end = !stream || stream->receive.queue().empty();
  return true;
}

void StreamSet::tell_readable(Stream& stream) {
  if (stream.readable_told) return;
  stream.readable_told = true;
  link_.events.emplace_back(Readable{stream.id});
}

// ---------------------------------------------------------------- datagrams

Result<void> StreamSet::send_datagram(StreamId id, const wire::Datagram& datagram, TimePoint now) {
  if (formatted_size(datagram) > wire::kFramePayloadBytesMax) return kPacketTooLong;
  Stream* stream = open_stream(id);
  if (!stream || !stream->may_send || stream->send.state() != SendHalf::State::open) return {};
  CHECK(stream->kind == StreamKind::udp);
  std::array<std::uint8_t, wire::kTargetBytesMax> head;
  Writer out(head);
  format(datagram.peer, out);
  PacketSender& sender = stream->datagrams->out;
  const std::size_t before = sender.queue().held();
  const std::size_t left = kLinkDatagramBytes - (totals_.datagrams_out - before);
  sender.push(Bytes(head).first(out.written()), datagram.payload,
              std::min(kDatagramQueueBytes, left), now, link_.counters.packets_out);
  totals_.datagrams_out += sender.queue().held() - before;
  recharge(*stream);
  send_credit_.activate(*stream);
  return {};
}

Result<void> StreamSet::handle_datagram(Stream& stream, Bytes payload, TimePoint now) {
  if (stream.kind != StreamKind::udp) return kWrongKind;
  if (stream.receive.finished()) return kAfterFin;
  TRY(wire::parse_datagram(payload));
  if (stream.life != Life::open) return {};
  ++link_.counters.packets_received;
  PacketQueue& queue = stream.datagrams->in;
  const std::size_t before = queue.held();
  const std::size_t left = kLinkDatagramBytes - (totals_.datagrams_in - before);
  if (queue.empty()) tell_readable(stream);
  link_.counters.packets_not_read +=
      queue.push(payload, {}, std::min(kDatagramQueueBytes, left), now);
  totals_.datagrams_in += queue.held() - before;
  recharge(stream);
  return {};
}

std::optional<wire::Datagram> StreamSet::receive_datagram(StreamId id, MutableBytes space) {
  Stream* stream = open_stream(id);
  if (!stream || !stream->datagrams || stream->datagrams->in.empty()) return std::nullopt;
  PacketQueue& queue = stream->datagrams->in;
  const MutableBytes bytes = space.first(queue.front_size());
  const std::size_t before = queue.held();
  queue.pop(bytes);
  totals_.datagrams_in -= before - queue.held();
  recharge(*stream);
  auto datagram = wire::parse_datagram(bytes);
  CHECK(datagram.ok());
  return std::move(*datagram);
}

// ---------------------------------------------------------------- the peer's frames

// Frames that may name a closed stream, so that nothing else bounds them. A correct peer ends each
// stream once, and gives credit for what it was sent.
Result<void> StreamSet::count_from_peer(const wire::Frame& frame) {
  if (!table_.was_opened(frame.stream)) return {};
  const std::uint64_t streams = static_cast<std::uint32_t>(table_.last());
  if (frame.type == FrameType::reset && ++from_peer_.resets > streams) return kResetFlood;
  if (frame.type != FrameType::credit) return {};
  const std::uint64_t due =
      kCreditsOfLink + streams + link_.counters.data_bytes_sent / kBytesPerCredit;
  if (++from_peer_.credits > due) return kCreditFlood;
  return {};
}

// Null for a frame that may have crossed the end of its stream.
Result<Stream*> StreamSet::lookup(const wire::Frame& frame) const {
  Stream* stream = table_.find(frame.stream);
  if (stream && !stream->peer_reset) return stream;
  if (!table_.was_opened(frame.stream)) return kStreamUnknown;
  if (frame.type == FrameType::reset || frame.type == FrameType::credit) return nullptr;
  return kStreamClosed;
}

Result<void> StreamSet::handle(const wire::Frame& frame, TimePoint now) {
  TRY(count_from_peer(frame));
  if (frame.type == FrameType::credit && frame.stream == wire::kControlStream) {
    TRY_ASSIGN(const wire::LinkCredit credit, wire::parse_link_credit(frame.payload));
    return send_credit_.handle_credit(credit);
  }
  const auto handled = [&]() -> Result<void> {
    if (frame.type == FrameType::open) return handle_open(frame);
    TRY_ASSIGN(Stream* const stream, lookup(frame));
    return stream ? dispatch(*stream, frame, now) : Result<void>();
  }();
  if (!handled.ok()) return Error(handled.error().kind(), number(frame.stream));
  return {};
}

Result<void> StreamSet::dispatch(Stream& stream, const wire::Frame& frame, TimePoint now) {
  switch (frame.type) {
    case FrameType::open_result:
      return handle_open_result(stream, frame.payload);
    case FrameType::reset:
      return handle_reset(stream, frame.payload);
    case FrameType::credit:
      return handle_stream_credit(stream, frame.payload);
    default:
      break;
  }
  if (link_.role == Role::client && stream.pending) return kBeforeResult;
  switch (frame.type) {
    case FrameType::data:
      return handle_data(stream, frame.payload, now);
    case FrameType::fin:
      return handle_fin(stream, frame.payload);
    default:
      return handle_datagram(stream, frame.payload, now);
  }
}

Result<void> StreamSet::handle_data(Stream& stream, Bytes payload, TimePoint now) {
  if (stream.kind != StreamKind::tcp) return kWrongKind;
  if (payload.empty()) return kEmptyData;
  if (stream.life == Life::open) receive_credit_.handle_arrival(stream.receive, now, link_.rtt);
  const bool none_waiting = stream.receive.queue().empty();
  const std::uint64_t before = stream.receive.outstanding();
  TRY(stream.receive.handle_data(payload));
  receive_credit_.change(before, stream.receive.outstanding());
  if (receive_credit_.exceeded()) return kBeyondLinkCredit;
  link_.counters.data_bytes_received += payload.size();
  if (stream.life != Life::open) return {};
  if (none_waiting) tell_readable(stream);
  recharge(stream);
  if (link_.budget.over()) relieve_memory();
  return {};
}

Result<void> StreamSet::handle_fin(Stream& stream, Bytes payload) {
  TRY_ASSIGN(const wire::Fin fin, wire::parse_fin(payload));
  TRY(stream.receive.handle_fin(fin.final));
  if (stream.life == Life::open) {
    link_.events.emplace_back(Finished{stream.id, false});
    if (stream.receive.unreported() > 0 && stream.receive.queue().empty()) list_credit(stream);
  }
  close_if_done(stream);
  return {};
}

Result<void> StreamSet::handle_reset(Stream& stream, Bytes payload) {
  TRY_ASSIGN(const wire::Reset reset, wire::parse_reset(payload));
  ++link_.counters.resets_received;
  if (stream.life == Life::open) {
    forget_events(stream.id);
    link_.events.emplace_back(Ended{stream.id, reset.reason, Side::peer});
  }
  end_by_peer(stream);
  return {};
}

Result<void> StreamSet::handle_stream_credit(Stream& stream, Bytes payload) {
  if (stream.kind != StreamKind::tcp) return kWrongKind;
  TRY_ASSIGN(const wire::StreamCredit credit, wire::parse_stream_credit(payload));
  if (stream.life != Life::open) return {};
  TRY(send_credit_.handle_credit(stream, credit));
  close_if_done(stream);
  return {};
}

// ---------------------------------------------------------------- writing

bool StreamSet::write_credit(RecordWriter& record) {
  if (receive_credit_.link_credit_due()) {
    if (!record.fits(wire::kLinkCreditBytes)) return false;
    format(receive_credit_.report(),
           record.frame(FrameType::credit, wire::kControlStream, wire::kLinkCreditBytes));
  }
  while (!credit_due_.empty()) {
    if (!record.fits(wire::kStreamCreditBytes)) return false;
    Stream& stream = *table_.find(credit_due_.front());
    credit_due_.pop_front();
    stream.listed_credit = false;
    const std::uint64_t before = stream.receive.outstanding();
    format(stream.receive.report(),
           record.frame(FrameType::credit, stream.id, wire::kStreamCreditBytes));
    receive_credit_.change(before, stream.receive.outstanding());
    close_if_done(stream);
  }
  return true;
}

bool StreamSet::write_due(RecordWriter& record) {
  while (!due_.empty()) {
    Stream& stream = *table_.find(due_.front());
    if (!write_due(stream, record)) return false;
    due_.pop_front();
    stream.listed_due = false;
    if (stream.life == Life::ended && stream.peer_ended()) remove(stream);
  }
  return true;
}

bool StreamSet::write_due(Stream& stream, RecordWriter& record) {
  DueFrames& due = stream.due;
  if (due.open) {
    const std::size_t size = formatted_size(*due.open);
    if (!record.fits(size)) return false;
    format(*due.open, record.frame(FrameType::open, stream.id, size));
    due.open.reset();
  }
  if (due.result) {
    const std::size_t size = formatted_size(*due.result);
    if (!record.fits(size)) return false;
    format(*due.result, record.frame(FrameType::open_result, stream.id, size));
    stream.pending = false;
    if (due.result->code != wire::OpenCode::ok) end_by_us(stream);
    due.result.reset();
  }
  if (due.reset) {
    if (!record.fits(wire::kResetBytes)) return false;
    format(wire::Reset{*due.reset}, record.frame(FrameType::reset, stream.id, wire::kResetBytes));
    ++link_.counters.resets_sent;
    end_by_us(stream);
    due.reset.reset();
  }
  return true;
}

Turn StreamSet::write(Flow& flow, RecordWriter& record, std::size_t allowance, TimePoint now) {
  Stream& stream = *table_.find(flow.stream);
  Turn turn{0, Next::nothing};
  if (stream.datagrams) {
    PacketSender& sender = stream.datagrams->out;
    totals_.datagrams_out -= sender.queue().held();
    turn = sender.write(record, stream.id, allowance, link_.rtt, now, link_.counters.packets_out);
    totals_.datagrams_out += sender.queue().held();
  } else {
    turn = write_data(stream, record, allowance);
  }
  if (turn.next == Next::nothing && stream.send.fin_due()) {
    if (!record.fits(wire::kFinBytes)) return {turn.bytes, Next::record_full};
    format(wire::Fin{stream.send.sent()}, record.frame(FrameType::fin, stream.id, wire::kFinBytes));
    stream.send.fin_sent();
    turn.bytes += wire::kFrameHeaderBytes + wire::kFinBytes;
  }
  return turn;
}

Turn StreamSet::write_data(Stream& stream, RecordWriter& record, std::size_t allowance) {
  const std::uint64_t credit = send_credit_.sendable(stream);
  if (credit == 0) return {0, Next::nothing};
  if (allowance < kSliverBytes) return {0, Next::turn_over};
  if (record.room() < std::min<std::uint64_t>(credit, kSliverBytes)) return {0, Next::record_full};
  const std::size_t in_turn = allowance - wire::kFrameHeaderBytes;
  const auto count =
      static_cast<std::size_t>(std::min<std::uint64_t>(credit, std::min(in_turn, record.room())));

  const std::uint64_t before = stream.send.outstanding();
  stream.send.write(record.frame(FrameType::data, stream.id, count).take(count));
  send_credit_.handle_sent(before, stream.send.outstanding());
  totals_.send_queued -= count;
  link_.counters.data_bytes_sent += count;

  const std::size_t bytes = wire::kFrameHeaderBytes + count;
  if (count == credit) return {bytes, Next::nothing};
  return {bytes, count == in_turn ? Next::turn_over : Next::record_full};
}

void StreamSet::after_turn(StreamId id) {
  Stream& stream = *table_.find(id);
  recharge(stream);
  send_credit_.activate(stream);
  const std::size_t cap = send_cap(stream);
  if (stream.wants_room && send_room(id) >= cap / 2) {
    stream.wants_room = false;
    link_.events.emplace_back(Writable{id});
  }
  close_if_done(stream);
}

void StreamSet::list_due(Stream& stream) {
  if (!std::exchange(stream.listed_due, true)) due_.push_back(stream.id);
}

void StreamSet::list_credit(Stream& stream) {
  if (!std::exchange(stream.listed_credit, true)) credit_due_.push_back(stream.id);
}

// ---------------------------------------------------------------- the end of a stream

void StreamSet::reset(StreamId id, wire::ResetReason reason) {
  Stream* stream = open_stream(id);
  if (!stream) return;
  drop_queues(*stream);
  forget_events(id);
  stream->life = Life::ending;
  stream->due.reset = reason;
  list_due(*stream);
}

// A stream that was ended is not to be read to its end any more: were Finished still handed out, a
// user that finds nothing to read would take what it has for all there is.
void StreamSet::forget_events(StreamId id) {
  std::erase_if(link_.events, [id](const Event& event) {
    const auto* finished = std::get_if<Finished>(&event);
    return finished && finished->stream == id;
  });
}

// Nothing of the stream is queued any more. What was sent still counts against the peer's window.
void StreamSet::drop_queues(Stream& stream) {
  send_credit_.remove(stream);
  if (stream.listed_credit) std::erase(credit_due_, stream.id);
  stream.listed_credit = false;
  totals_.send_queued -= stream.send.queue().size();
  stream.send.drop();
  receive_credit_.change(stream.receive.outstanding(), 0);
  stream.receive.drop();
  if (stream.datagrams) {
    totals_.datagrams_out -= stream.datagrams->out.queue().held();
    totals_.datagrams_in -= stream.datagrams->in.held();
    *stream.datagrams = Stream::Datagrams();
  }
  recharge(stream);
}

// Our RESET or failed OPEN_RESULT is written.
void StreamSet::end_by_us(Stream& stream) {
  stream.life = Life::ended;
  send_credit_.release(stream);
}

// The peer's RESET or failed OPEN_RESULT has come.
void StreamSet::end_by_peer(Stream& stream) {
  drop_queues(stream);
  send_credit_.release(stream);
  stream.peer_reset = true;
  if (link_.role == Role::client) stream.pending = false;
  if (stream.we_ended()) {
    remove(stream);
    return;
  }
  stream.life = Life::ending;
  stream.due.result.reset();
  if (!stream.due.reset) stream.due.reset = wire::ResetReason::answer;
  list_due(stream);
}

void StreamSet::close_if_done(Stream& stream) {
  if (stream.life == Life::ended) {
    if (stream.peer_ended()) remove(stream);
  } else if (stream.life == Life::open && stream.send.done() && stream.receive.done()) {
    remove(stream);
  }
}

void StreamSet::remove(Stream& stream) {
  drop_queues(stream);
  if (stream.listed_due) std::erase(due_, stream.id);
  table_.remove(stream.id);
}

void StreamSet::clear() {
  std::vector<Stream*> all;
  table_.for_each([&](Stream& stream) { all.push_back(&stream); });
  for (Stream* stream : all) remove(*stream);
}

// ---------------------------------------------------------------- memory

void StreamSet::recharge(Stream& stream) { stream.charge.set(stream.footprint()); }

// The process holds more than it may: the stream of this link that has the most unread bytes ends,
// unless no stream has more than its private bytes.
void StreamSet::relieve_memory() {
  const Stream* largest = nullptr;
  std::size_t most = wire::kStreamPrivateBytes;
  table_.for_each([&](const Stream& stream) {
    const std::size_t held = stream.receive.queue().size();
    if (held > most || (largest && held == most && stream.id < largest->id)) {
      largest = &stream;
      most = held;
    }
  });
  if (!largest) return;
  reset(largest->id, wire::ResetReason::memory);
  link_.events.emplace_back(Ended{largest->id, wire::ResetReason::memory, Side::us});
}

}  // namespace karst::stream::mux
