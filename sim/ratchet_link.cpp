#include "sim/ratchet_link.h"

#include <algorithm>
#include <utility>

#include "base/writer.h"

namespace karst::sim {

using stream::record::kRecordHeaderBytes;
using stream::record::kRecordOverheadBytes;
void StreamPipe::send(ByteVector record, keys::RecordClass kind) {
  tap(record, kind);
  const std::uint64_t size = record.size();
  in_flight_ += size;
  sent_until_ = std::max(sent_until_, clock_.now());
  if (config_.bits_per_second != 0) {
    sent_until_ += std::chrono::nanoseconds(size * 8 * 1'000'000'000 / config_.bits_per_second);
  }
  TimePoint arrival = sent_until_ + config_.round_trip / 2;
  if (random_.below(1000) < config_.repaired_per_mille) arrival += config_.round_trip;
  arrived_until_ = std::max(arrived_until_, arrival);
  clock_.at(arrived_until_,
            [this, bytes = std::move(record)]() mutable { to_->receive(std::move(bytes)); });
  clock_.at(arrived_until_ + config_.round_trip / 2, [this, size] {
    in_flight_ -= size;
    window_ = std::min(window_ + size, config_.window_bytes_max);
    from_->pump();
  });
}

StreamEnd::StreamEnd(VirtualClock& clock, keys::LinkRatchet& ratchet, StreamPipe& out)
    : clock_(clock),
      ratchet_(ratchet),
      out_(out),
      sealer_(ratchet.send_epochs()),
      opener_(ratchet.stream_receive()) {}

void StreamEnd::send_control(const keys::ControlMessage& message) {
  const auto type = message.kind == keys::ControlMessage::Kind::offer ? wire::FrameType::offer
                                                                      : wire::FrameType::ack;
  ByteVector record(kRecordOverheadBytes + wire::kFrameHeaderBytes + message.body.size());
  wire::format_ratchet_record(type, message.body, MutableBytes(record).subspan(kRecordHeaderBytes));
  sealer_.seal(wire::RecordKind::ratchet, record, clock_.now());
  out_.send(std::move(record), keys::RecordClass::uncounted);
}

void StreamEnd::send_data(std::size_t size) {
  ByteVector record(kRecordOverheadBytes + size);
  Writer writer(MutableBytes(record).subspan(kRecordHeaderBytes));
  wire::write_frame_header(writer, wire::FrameType::data, wire::StreamId{1},
                           size - wire::kFrameHeaderBytes);
  sealer_.seal(wire::RecordKind::counted, record, clock_.now());
  out_.send(std::move(record), keys::RecordClass::counted);
}

void StreamEnd::pump() {
  while (!failed && out_.has_room()) {
    const auto control = ratchet_.next_control(clock_.now());
    if (!control.ok()) {
      failed = control.error();
      return;
    }
    if (control->has_value()) {
      send_control(**control);
      continue;
    }
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(pending, record_bytes));
    if (size == 0 || !ratchet_.can_seal_counted(size, clock_.now())) break;
    if (pending != kEndless) pending -= size;
    send_data(size);
  }
  arm();
}

Result<void> StreamEnd::handle(ByteVector& record) {
  const TimePoint now = clock_.now();
  TRY_ASSIGN(const auto opened, opener_.open(record, now));
  if (opened.kind == wire::RecordKind::counted) received += opened.plaintext.size();
  if (opened.kind != wire::RecordKind::ratchet) return {};
  const auto frame = wire::ratchet_frame(opened.plaintext);
  return frame.type == wire::FrameType::offer ? ratchet_.handle_offer(frame.message, now)
                                              : ratchet_.handle_ack(frame.message, now);
}

void StreamEnd::receive(ByteVector record) {
  if (failed) return;
  if (const auto handled = handle(record); !handled.ok()) {
    failed = handled.error();
    return;
  }
  on_open();
  pump();
}

void StreamEnd::arm() {
  const auto next = ratchet_.next_deadline();
  if (!next || next == armed_) return;
  armed_ = next;
  clock_.at(*next, [this, when = *next] {
    if (armed_ != when) return;
    armed_.reset();
    if (const auto done = ratchet_.handle_deadline(clock_.now()); !done.ok()) {
      failed = done.error();
      return;
    }
    pump();
  });
}

}  // namespace karst::sim
