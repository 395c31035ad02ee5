#include "sim/ratchet_packets.h"

#include <utility>

namespace karst::sim {

PacketEnd::PacketEnd(VirtualClock& clock, keys::LinkRatchet& ratchet,
                     const PacketPathConfig& config, crypto::AeadKind aead, std::uint64_t seed)
    : clock_(clock),
      ratchet_(ratchet),
      config_(config),
      random_(seed),
      sealer_(aead),
      opener_(aead) {}

void PacketEnd::send_data(std::size_t bytes) {
  run_deadlines();
  send_control();
  if (failed || !ratchet_.can_seal_counted(bytes, clock_.now())) return;
  send(keys::RecordClass::counted, 0, ByteVector(bytes, 7));
  send_control();
}

void PacketEnd::send_control() {
  while (!failed) {
    const auto control = ratchet_.next_control(clock_.now());
    if (!control.ok()) {
      failed = control.error();
      return;
    }
    if (!control->has_value()) return;
    ByteVector text(1 + (*control)->body.size());
    text[0] = (*control)->kind == keys::ControlMessage::Kind::ack;
    copy_bytes(MutableBytes(text).subspan(1), (*control)->body);
    unacknowledged_[++sent_messages_] = std::move(text);
    transmit(sent_messages_);
  }
}

// Sends a message again and again, each time in a new packet, until it has arrived.
void PacketEnd::transmit(std::uint64_t message) {
  const auto found = unacknowledged_.find(message);
  if (failed || found == unacknowledged_.end()) return;
  if (ratchet_.can_seal_uncounted(clock_.now())) {
    send(keys::RecordClass::uncounted, message, found->second);
  }
  clock_.at(clock_.now() + config_.round_trip * 2, [this, message] { transmit(message); });
}

void PacketEnd::send(keys::RecordClass kind, std::uint64_t message, ByteVector text) {
  keys::SendEpochs& epochs = ratchet_.send_epochs();
  const keys::SealSlot slot = epochs.begin_record(kind, text.size(), clock_.now());
  if (slot.epoch != sealing_epoch_) sealer_.set_key(epochs.packet_key().expose());
  sealing_epoch_ = slot.epoch;
  Packet packet{static_cast<std::uint16_t>(slot.epoch),
                slot.sequence,
                slot.epoch,
                kind,
                message,
                std::move(text)};
  sealer_.seal(keys::packet_nonce(packet.number), {}, packet.text, packet.tag);
  if (random_.below(1000) < config_.lost_per_mille) {
    ++lost;
    return;
  }
  const auto late = Duration(random_.below(static_cast<std::uint64_t>(config_.jitter.count()) + 1));
  clock_.at(
      clock_.now() + config_.round_trip / 2 + late,
      [to = other_, packet = std::move(packet)]() mutable { to->receive(std::move(packet)); });
}

void PacketEnd::receive(Packet packet) {
  if (failed) return;
  run_deadlines();
  keys::DatagramReceiveEpochs& epochs = ratchet_.datagram_receive();
  const auto key = epochs.find(packet.epoch_low_bits, clock_.now());
  if (!key) {
    ++without_key;
    return;
  }
  if (key->epoch != packet.epoch) ++wrong_epoch;
  opener_.set_key(key->secret->expose());
  if (!opener_.open(keys::packet_nonce(packet.number), {}, packet.text, packet.tag).ok()) {
    ++not_opened;
    return;
  }
  ++opened;
  if (key->epoch < epochs.current()) ++reordered;
  const auto counted = epochs.authenticated(key->epoch, packet.kind, packet.text.size(),
                                            config_.round_trip, clock_.now());
  if (!counted.ok()) {
    failed = counted.error();
    return;
  }
  if (packet.message != 0) deliver(packet.message, std::move(packet.text));
}

void PacketEnd::deliver(std::uint64_t message, ByteVector body) {
  clock_.at(clock_.now() + config_.round_trip / 2,
            [to = other_, message] { to->acknowledged(message); });
  if (message > taken_messages_) arrived_[message] = std::move(body);
  for (auto next = arrived_.begin(); next != arrived_.end() && next->first == taken_messages_ + 1;
       next = arrived_.erase(next)) {
    ++taken_messages_;
    const Bytes text = Bytes(next->second).subspan(1);
    const auto handled = next->second[0] == 0 ? ratchet_.handle_offer(text, clock_.now())
                                              : ratchet_.handle_ack(text, clock_.now());
    if (!handled.ok()) {
      failed = handled.error();
      return;
    }
  }
  send_control();
}

void PacketEnd::run_deadlines() {
  const auto next = ratchet_.next_deadline();
  if (!next || clock_.now() < *next) return;
  if (const auto done = ratchet_.handle_deadline(clock_.now()); !done.ok()) failed = done.error();
}

}  // namespace karst::sim
