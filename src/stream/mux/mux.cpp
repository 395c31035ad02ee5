#include "stream/mux/mux.h"

#include <algorithm>
#include <utility>

#include "stream/mux/error.h"

namespace karst::stream::mux {

using wire::FrameType;

Mux::Mux(Role role, const Limits& limits, MemoryBudget& budget, TimePoint now)
    : link_{.role = role, .limits = limits, .budget = budget},
      control_(link_, now),
      streams_(link_),
      packets_{{}, {}, {}, MemoryCharge(budget)} {
  tell_time(now);
}

// ---------------------------------------------------------------- streams

Result<StreamId> Mux::open(const wire::Open& open) {
  if (failure_ || control_.going_away()) return kGoingAway;
  return streams_.open(open);
}

void Mux::accept(StreamId stream, const std::optional<Endpoint>& bound) {
  streams_.accept(stream, bound);
}

void Mux::refuse(StreamId stream, wire::OpenCode code) { streams_.refuse(stream, code); }

std::size_t Mux::send_room(StreamId stream) const { return streams_.send_room(stream); }

MutableBytes Mux::prepare_send(StreamId stream) { return streams_.prepare_send(stream); }

void Mux::commit_send(StreamId stream, std::size_t written) {
  streams_.commit_send(stream, written);
}

std::size_t Mux::send(StreamId stream, Bytes bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const MutableBytes space = prepare_send(stream);
    const std::size_t count = std::min(space.size(), bytes.size() - sent);
    if (count == 0) break;
    copy_bytes(space, bytes.subspan(sent, count));
    commit_send(stream, count);
    sent += count;
  }
  return sent;
}

void Mux::finish(StreamId stream) { streams_.finish(stream); }

void Mux::reset(StreamId stream, wire::ResetReason reason) { streams_.reset(stream, reason); }

std::size_t Mux::received(StreamId stream, std::span<Bytes> runs) const {
  const Stream* found = streams_.find(stream);
  return found ? found->receive.queue().gather(runs) : 0;
}

std::size_t Mux::received_bytes(StreamId stream) const {
  const Stream* found = streams_.find(stream);
  return found ? found->receive.queue().size() : 0;
}

void Mux::consume_received(StreamId stream, std::size_t count, TimePoint now) {
  tell_time(now);
  streams_.consume_received(stream, count, now);
}

bool Mux::at_end(StreamId stream) const {
  const Stream* found = streams_.find(stream);
  return found && found->life == Stream::Life::open && found->receive.finished() &&
         found->receive.queue().empty();
}

// ---------------------------------------------------------------- packets

Result<void> Mux::send_packet(Bytes packet, TimePoint now) {
  if (packet.size() > wire::kFramePayloadBytesMax) return kPacketTooLong;
  if (failure_) return {};
  packets_.out.push({}, packet, kPacketQueueBytes, now, link_.counters.packets_out);
  recharge_packets();
  link_.scheduler.add(packets_.flow);
  return {};
}

Result<void> Mux::handle_packet(Bytes packet, TimePoint now) {
  if (packet.empty()) return kEmptyPacket;
  ++link_.counters.packets_received;
  if (packets_.in.empty()) link_.events.emplace_back(PacketsReady{});
  link_.counters.packets_not_read += packets_.in.push({}, packet, kPacketQueueBytes, now);
  recharge_packets();
  return {};
}

std::optional<std::size_t> Mux::receive_packet(MutableBytes space) {
  if (packets_.in.empty()) return std::nullopt;
  const std::size_t size = packets_.in.front_size();
  packets_.in.pop(space.first(size));
  recharge_packets();
  return size;
}

Result<void> Mux::send_datagram(StreamId stream, const wire::Datagram& datagram, TimePoint now) {
  tell_time(now);
  return streams_.send_datagram(stream, datagram, now);
}

std::optional<wire::Datagram> Mux::receive_datagram(StreamId stream, MutableBytes space) {
  return streams_.receive_datagram(stream, space);
}

void Mux::recharge_packets() {
  packets_.charge.set(packets_.out.queue().footprint() + packets_.in.footprint());
}

// ---------------------------------------------------------------- link

void Mux::set_rtt(Duration rtt) { link_.rtt = std::max(rtt, Duration(1)); }

void Mux::ping() { control_.ping(); }

void Mux::go_away(wire::GoAwayReason reason) {
  const StreamId last = streams_.stop_accepting();
  control_.go_away({reason, last});
}

void Mux::set_report(const wire::Report& report) { control_.set_report(report); }

std::optional<Event> Mux::poll_event() {
  while (!link_.events.empty()) {
    Event event = std::move(link_.events.front());
    link_.events.pop_front();
    const bool current = std::visit(
        [this](auto& kind) {
          if constexpr (requires { streams_.handed_out(kind); }) return streams_.handed_out(kind);
          return true;
        },
        event);
    if (current) return event;
  }
  return std::nullopt;
}

// ---------------------------------------------------------------- records

Result<void> Mux::handle_record(Bytes plaintext, TimePoint now) {
  if (failure_) return *failure_;
  tell_time(now);
  const auto handled = handle_frames(plaintext, now);
  if (!handled.ok()) fail(handled.error());
  return handled;
}

Result<void> Mux::handle_frames(Bytes plaintext, TimePoint now) {
  TRY_ASSIGN(wire::FrameReader frames, wire::FrameReader::of(plaintext));
  while (!frames.at_end()) {
    TRY_ASSIGN(const wire::Frame frame, frames.next());
    switch (frame.type) {
      case FrameType::ping:
      case FrameType::pong:
      case FrameType::goaway:
      case FrameType::report:
        TRY(control_.handle(frame, now));
        break;
      case FrameType::offer:
      case FrameType::ack:
        return kRatchetFrame;
      default:
        if (frame.type == FrameType::packet && frame.stream == wire::kControlStream) {
          TRY(handle_packet(frame.payload, now));
        } else {
          TRY(streams_.handle(frame, now));
        }
    }
  }
  return {};
}

// Everything is let go; what remains is a GOAWAY, unless one has been sent.
void Mux::fail(const Error& error) {
  failure_ = error;
  const StreamId last = streams_.stop_accepting();
  streams_.clear();
  link_.scheduler.remove(packets_.flow);
  packets_.out = PacketSender();
  packets_.in = PacketQueue();
  recharge_packets();
  link_.events.clear();
  control_.close({wire::GoAwayReason::protocol_error, last});
}

std::optional<Record> Mux::poll_record(MutableBytes space, Allowed allowed, TimePoint now) {
  tell_time(now);
  const bool early = early_bytes_ < kEarlyBytes;
  RecordWriter record(space, early ? kEarlyRecordBytes : space.size());
  write_frames(record, allowed, now);
  if (record.empty()) return std::nullopt;
  if (early) early_bytes_ += record.size();
  return Record{record.size(),
                record.counted() ? wire::RecordKind::counted : wire::RecordKind::uncounted};
}

void Mux::write_frames(RecordWriter& record, Allowed allowed, TimePoint now) {
  if (!control_.write(record, now)) return;
  if (!streams_.write_credit(record)) return;
  if (allowed == Allowed::uncounted) return;
  if (streams_.frames_due() || !link_.scheduler.empty()) control_.write_report(record);
  if (!streams_.write_due(record)) return;
  write_flows(record, now);
}

void Mux::write_flows(RecordWriter& record, TimePoint now) {
  while (!link_.scheduler.empty()) {
    const std::size_t allowance = link_.scheduler.allowance();
    Flow& flow = link_.scheduler.front();
    const StreamId stream = flow.stream;
    const bool packets = &flow == &packets_.flow;
    const Turn turn = packets ? packets_.out.write(record, stream, allowance, link_.rtt, now,
                                                   link_.counters.packets_out)
                              : streams_.write(flow, record, allowance, now);
    link_.scheduler.served(turn.bytes, turn.next);
    if (packets) {
      recharge_packets();
    } else {
      streams_.after_turn(stream);
    }
    if (turn.next == Scheduler::Next::record_full) return;
  }
}

// ---------------------------------------------------------------- what limits it

Blocked Mux::blocked() const {
  if (!link_.scheduler.empty() || streams_.frames_due()) return Blocked::ready;
  if (streams_.send_credit().blocked_on_link() > 0) return Blocked::link_credit;
  if (streams_.send_credit().blocked_on_stream() > 0) return Blocked::stream_credit;
  return Blocked::idle;
}

Blocked Mux::blocked(StreamId stream) const {
  const Stream* found = streams_.find(stream);
  if (!found) return Blocked::idle;
  if (found->flow.list != Flow::List::none || found->listed_due) return Blocked::ready;
  switch (found->blocked) {
    case Stream::Blocked::stream_credit:
      return Blocked::stream_credit;
    case Stream::Blocked::link_credit:
      return Blocked::link_credit;
    case Stream::Blocked::no:
      break;
  }
  return Blocked::idle;
}

LinkStatus Mux::status() const {
  LinkStatus status;
  status.streams = streams_.table().size();
  streams_.table().for_each([&](const Stream& stream) {
    status.send_queued_bytes += stream.send.queue().size();
    status.receive_queued_bytes += stream.receive.queue().size();
  });
  status.receive_window = streams_.receive_credit().window();
  status.send_window = streams_.send_credit().window();
  return status;
}

std::optional<StreamStatus> Mux::status(StreamId stream) const {
  const Stream* found = streams_.find(stream);
  if (!found) return std::nullopt;
  return StreamStatus{
      .sent = found->send.sent(),
      .taken_by_peer = found->send.taken(),
      .send_limit = found->send.limit(),
      .send_queued_bytes = found->send.queue().size(),
      .received = found->receive.received(),
      .taken = found->receive.taken(),
      .receive_window = found->receive.window().size(),
      .waits = found->waits,
  };
}

}  // namespace karst::stream::mux
