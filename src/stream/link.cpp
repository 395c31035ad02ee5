#include "stream/link.h"

#include <utility>

#include "base/check.h"
#include "wire/frame.h"

namespace karst::stream {
namespace {

keys::Direction sending_direction(mux::Role role) {
  return role == mux::Role::client ? keys::Direction::client_to_server
                                   : keys::Direction::server_to_client;
}

}  // namespace

Link::Link(const LinkSetup& setup, keys::LinkSecrets secrets, MemoryBudget& budget,
           Entropy& entropy, TimePoint now)
    : parameters_(setup.parameters),
      ratchet_({sending_direction(setup.role), setup.parameters, setup.depth},
               std::move(secrets.client_to_server_root), std::move(secrets.server_to_client_root),
               std::move(secrets.psk_link), entropy, now),
      sealer_(ratchet_.send_epochs()),
      opener_(ratchet_.stream_receive()),
      mux_(setup.role, setup.limits, budget, now) {}

Error Link::fail(const Error& error) {
  if (!error_) error_ = error;
  ratchet_.end(error);
  mux_.go_away(wire::GoAwayReason::protocol_error);
  return error;
}

void Link::send_first(Bytes plaintext) { first_ = to_vector(plaintext); }

Result<MutableBytes> Link::take(Bytes record) {
  if (error_) return *error_;
  if (record.size() > opened_.size()) return fail(record::kRecordLength);
  const MutableBytes space = MutableBytes(opened_).first(record.size());
  copy_bytes(space, record);
  return space;
}

Result<record::OpenedRecord> Link::open(Bytes record, TimePoint now) {
  TRY_ASSIGN(const MutableBytes space, take(record));
  const auto opened = opener_.open(space, now);
  if (!opened.ok()) return fail(opened.error());
  return *opened;
}

Result<Bytes> Link::open_ok(Bytes record, TimePoint now) {
  TRY_ASSIGN(const MutableBytes space, take(record));
  const auto opened = opener_.open_ok(space, now);
  if (!opened.ok()) return fail(opened.error());
  return Bytes(*opened);
}

Result<void> Link::accept(const record::OpenedRecord& record, TimePoint now) {
  if (error_) return *error_;
  // A client's first record, which only shows that it has the keys.
  if (record.plaintext.empty()) return {};
  Result<void> handled;
  if (record.kind == wire::RecordKind::ratchet) {
    const wire::RatchetFrame frame = wire::ratchet_frame(record.plaintext);
    handled = frame.type == wire::FrameType::offer ? ratchet_.handle_offer(frame.message, now)
                                                   : handle_ack(frame.message, now);
  } else {
    handled = mux_.handle_record(record.plaintext, now);
  }
  if (!handled.ok()) return fail(handled.error());
  return {};
}

std::size_t Link::seal(wire::RecordKind kind, MutableBytes space, std::size_t plaintext_bytes,
                       TimePoint now) {
  const std::size_t size = plaintext_bytes + record::kRecordOverheadBytes;
  sealer_.seal(kind, space.first(size), now);
  return size;
}

// Its work cannot wait: blocked data may depend on it. It is bounded by the offers in flight.
Result<void> Link::handle_ack(Bytes body, TimePoint now) {
  if (kem_gate_ != nullptr) kem_gate_->started();
  const auto handled = ratchet_.handle_ack(body, now);
  if (kem_gate_ != nullptr) kem_gate_->finished();
  return handled;
}

Result<std::optional<keys::ControlMessage>> Link::next_control(TimePoint now) {
  if (kem_gate_ == nullptr || !ratchet_.has_control(now)) return ratchet_.next_control(now);
  if (!kem_gate_->enter(now)) return std::nullopt;
  kem_gate_->started();
  auto control = ratchet_.next_control(now);
  kem_gate_->finished();
  return control;
}

std::size_t Link::poll_control(MutableBytes space, TimePoint now) {
  const auto control = next_control(now);
  if (!control.ok()) {
    static_cast<void>(fail(control.error()));
    return 0;
  }
  if (!*control) return 0;
  const auto type = (*control)->kind == keys::ControlMessage::Kind::offer ? wire::FrameType::offer
                                                                          : wire::FrameType::ack;
  const std::size_t size = wire::format_ratchet_record(type, (*control)->body,
                                                       space.subspan(record::kRecordHeaderBytes));
  return seal(wire::RecordKind::ratchet, space, size, now);
}

std::size_t Link::poll_frames(MutableBytes space, TimePoint now) {
  // The ratchet is asked only when something waits, since its "no" counts as blocked time. An epoch
  // ends early when the next full record does not fit.
  const bool counted = !error_ && mux_.blocked() == mux::Blocked::ready &&
                       ratchet_.can_seal_counted(wire::kPlaintextBytesMax, now);
  const bool uncounted = counted || ratchet_.can_seal_uncounted(now);
  std::size_t size = 0;
  if (uncounted) {
    const auto filled =
        mux_.poll_record(space.subspan(record::kRecordHeaderBytes, wire::kPlaintextBytesMax),
                         counted ? mux::Allowed::everything : mux::Allowed::uncounted, now);
    if (filled) size = seal(filled->kind, space, filled->size, now);
  }
  if (!counted && mux_.blocked() != mux::Blocked::ready) ratchet_.no_longer_wanted(now);
  return size;
}

std::size_t Link::poll_record(MutableBytes space, TimePoint now) {
  CHECK(space.size() >= kRecordBytesMax);
  if (first_) {
    const ByteVector plaintext = *std::exchange(first_, std::nullopt);
    CHECK(plaintext.size() <= wire::kPlaintextBytesMax);
    copy_bytes(space.subspan(record::kRecordHeaderBytes), plaintext);
    return seal(wire::RecordKind::uncounted, space, plaintext.size(), now);
  }
  if (!released_) return 0;
  if (!error_) {
    const std::size_t size = poll_control(space, now);
    if (size > 0) return size;
  }
  return poll_frames(space, now);
}

Result<void> Link::handle_deadline(TimePoint now) {
  const auto handled = ratchet_.handle_deadline(now);
  if (error_) return *error_;
  if (!handled.ok()) return fail(handled.error());
  return {};
}

LinkBlocked Link::blocked() const {
  switch (mux_.blocked()) {
    case mux::Blocked::idle:
      return LinkBlocked::idle;
    case mux::Blocked::ready:
      return ratchet_.blocked() ? LinkBlocked::ratchet : LinkBlocked::ready;
    case mux::Blocked::stream_credit:
    case mux::Blocked::link_credit:
      return LinkBlocked::mux_credit;
  }
  return LinkBlocked::idle;
}

}  // namespace karst::stream
