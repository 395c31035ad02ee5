#include "keys/ratchet.h"

#include <algorithm>
#include <utility>

namespace karst::keys {
namespace {

std::uint64_t microseconds(Duration duration) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::microseconds>(duration).count()));
}

std::optional<TimePoint> earlier(std::optional<TimePoint> a, std::optional<TimePoint> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

EpochRoot& root_of(Direction direction, EpochRoot& client_to_server, EpochRoot& server_to_client) {
  return direction == Direction::client_to_server ? client_to_server : server_to_client;
}

}  // namespace

LinkRatchet::LinkRatchet(const RatchetSetup& setup, EpochRoot client_to_server,
                         EpochRoot server_to_client, PskLink psk, Entropy& entropy, TimePoint now)
    : entropy_(entropy),
      psk_(std::move(psk)),
      send_(setup.parameters, root_of(setup.sending, client_to_server, server_to_client)),
      offers_(setup.sending, setup.parameters,
              std::move(root_of(setup.sending, client_to_server, server_to_client))),
      depth_(setup.depth, setup.parameters.rekey_window, setup.parameters.policy.bytes),
      receive_(make_receive(setup.parameters,
                            root_of(opposite(setup.sending), client_to_server, server_to_client))),
      answers_(opposite(setup.sending), setup.parameters,
               std::move(root_of(opposite(setup.sending), client_to_server, server_to_client)),
               now) {}

LinkRatchet::ReceiveEpochs LinkRatchet::make_receive(const LinkParameters& parameters,
                                                     const EpochRoot& root_0) {
  if (parameters.carrier == Carrier::stream) {
    return ReceiveEpochs(std::in_place_type<StreamReceiveEpochs>, parameters, root_0);
  }
  return ReceiveEpochs(std::in_place_type<DatagramReceiveEpochs>, parameters, root_0);
}

Error LinkRatchet::fail(const Error& error) {
  end(error);
  return error;
}

void LinkRatchet::end(const Error& why) {
  if (failed_) return;
  failed_ = why;
  psk_.wipe();
  send_.end();
  offers_.end();
  answers_.end();
  std::visit([](auto& epochs) { epochs.end(); }, receive_);
}

bool LinkRatchet::can_answer(TimePoint now) {
  const auto share =
      std::visit([](const auto& epochs) { return epochs.received_share(); }, receive_);
  return answers_.can_answer(share, now);
}

// A counted record takes an OFFER with it, so this happens only when the carrier took none until
// the key was gone.
Result<void> LinkRatchet::check_not_stuck(TimePoint now) {
  if (offers_.in_flight() > 0 || can_seal_uncounted(now)) return {};
  return fail(kNoEpochLeft);
}

Result<void> LinkRatchet::check_ack_deadline(TimePoint now) {
  if (now < offers_.deadline().value_or(TimePoint::max())) return {};
  ++counts_.deadline_expiries;
  return fail(kAckDeadline);
}

std::optional<ControlMessage::Kind> LinkRatchet::due_control(TimePoint now) {
  if (failed_) return std::nullopt;
  depth_.current_epoch(send_.current(), now);
  if (!can_seal_uncounted(now)) return std::nullopt;
  if (can_answer(now)) return ControlMessage::Kind::ack;
  const std::uint64_t depth = offers_.newest_offered() - send_.current();
  if (depth_.wants_offer(depth, send_.progress(), now)) return ControlMessage::Kind::offer;
  return std::nullopt;
}

Result<std::optional<ControlMessage>> LinkRatchet::next_control(TimePoint now) {
  if (failed_) return *failed_;
  const auto due = due_control(now);
  if (!due) {
    TRY(check_not_stuck(now));
    return std::nullopt;
  }
  return *due == ControlMessage::Kind::ack ? make_ack() : make_offer(now);
}

Result<std::optional<ControlMessage>> LinkRatchet::make_ack() {
  auto secret = answers_.answer(psk_, entropy_, body_);
  if (!secret.ok()) return fail(secret.error());
  std::visit([&](auto& epochs) { epochs.add_prepared(std::move(*secret)); }, receive_);
  ++counts_.acks_sent;
  return ControlMessage{ControlMessage::Kind::ack, body_};
}

ControlMessage LinkRatchet::make_offer(TimePoint now) {
  offers_.make_offer(entropy_, now, body_);
  depth_.offered(send_.progress());
  ++counts_.offers_sent;
  return {ControlMessage::Kind::offer, body_};
}

Result<void> LinkRatchet::handle_offer(Bytes body, TimePoint) {
  if (failed_) return *failed_;
  const auto current = std::visit([](const auto& epochs) { return epochs.current(); }, receive_);
  if (const auto taken = answers_.handle_offer(body, current); !taken.ok()) {
    return fail(taken.error());
  }
  ++counts_.offers_received;
  return {};
}

Result<void> LinkRatchet::handle_ack(Bytes body, TimePoint now) {
  if (failed_) return *failed_;
  TRY(check_ack_deadline(now));
  depth_.current_epoch(send_.current(), now);
  auto prepared = offers_.handle_ack(body, psk_, now);
  if (!prepared.ok()) return fail(prepared.error());
  send_.add_prepared(std::move(prepared->secret));
  depth_.ack_accepted(prepared->round_trip, now);
  ack_round_trips_.add(microseconds(prepared->round_trip));
  blocked_.end(now);
  ++counts_.acks_received;
  return {};
}

bool LinkRatchet::can_seal_counted(std::size_t plaintext_bytes, TimePoint now) {
  if (!failed_ && send_.can_seal(RecordClass::counted, plaintext_bytes, now)) {
    blocked_.end(now);
    return true;
  }
  blocked_.begin(now);
  depth_.blocked(now);
  return false;
}

std::optional<TimePoint> LinkRatchet::next_deadline() const {
  if (failed_) return send_.next_deadline();
  const auto receive =
      std::visit([](const auto& epochs) { return epochs.next_deadline(); }, receive_);
  return earlier(earlier(offers_.deadline(), answers_.next_credit()),
                 earlier(send_.next_deadline(), receive));
}

Result<void> LinkRatchet::handle_deadline(TimePoint now) {
  send_.handle_deadline(now);
  if (failed_) return *failed_;
  std::visit([&](auto& epochs) { epochs.handle_deadline(now); }, receive_);
  // Earns the credit that was waited for, also when there is no key to answer under yet: the
  // deadline of the credit is over.
  static_cast<void>(can_answer(now));
  TRY(check_ack_deadline(now));
  return check_not_stuck(now);
}

RatchetCounters LinkRatchet::counters(TimePoint now) {
  RatchetCounters out;
  out.send_epoch = send_.current();
  out.depth_target = depth_.target(now);
  out.depth_offered = offers_.in_flight();
  out.depth_prepared = send_.prepared();
  out.offers_sent = counts_.offers_sent;
  out.acks_received = counts_.acks_received;
  out.deadline_expiries = counts_.deadline_expiries;
  out.offers_waiting = answers_.waiting();
  out.offers_received = counts_.offers_received;
  out.acks_sent = counts_.acks_sent;
  std::visit(
      [&](const auto& epochs) {
        out.receive_epoch = epochs.current();
        out.receive_prepared = epochs.prepared();
        out.exposed_bytes = send_.policy().bytes * (2 + offers_.in_flight() + send_.prepared() +
                                                    epochs.prepared() + epochs.retired());
      },
      receive_);
  return out;
}

}  // namespace karst::keys
