#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/log_histogram.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/blocked_meter.h"
#include "keys/datagram_receive_epochs.h"
#include "keys/depth_controller.h"
#include "keys/link_secrets.h"
#include "keys/offer_answerer.h"
#include "keys/offer_sender.h"
#include "keys/send_epochs.h"
#include "keys/stream_receive_epochs.h"

namespace karst::keys {

struct RatchetSetup {
  Direction sending = Direction::client_to_server;  // the direction that this end seals
  LinkParameters parameters;
  DepthMode depth = DepthMode::automatic;
};

// A message of the ratchet, to be sealed in a record of its own ahead of everything else.
struct ControlMessage {
  enum class Kind : std::uint8_t { offer, ack };
  Kind kind = Kind::offer;
  Bytes body;  // lives until the next call of next_control()
};

// What status, metrics and the lab show of one link's ratchet. No secret.
struct RatchetCounters {
  // The direction that this end seals.
  std::uint64_t send_epoch = 0;
  std::size_t depth_target = 0;
  std::size_t depth_offered = 0;  // in flight
  std::size_t depth_prepared = 0;
  std::uint64_t offers_sent = 0;
  std::uint64_t acks_received = 0;
  std::uint64_t deadline_expiries = 0;
  // The direction that this end opens.
  std::uint64_t receive_epoch = 0;
  std::size_t receive_prepared = 0;
  std::size_t offers_waiting = 0;
  std::uint64_t offers_received = 0;
  std::uint64_t acks_sent = 0;
  // Bytes of traffic that the keys held by this process open, if it were seized now: the upper
  // bound of both directions, docs/protocol/ratchet.md "What a compromise exposes".
  std::uint64_t exposed_bytes = 0;
};

// The ratchet of a link: the sealing half of one direction, the opening half of the other, and
// the exchange that keeps both in fresh epochs. It neither frames nor encrypts: RecordSealer and
// RecordOpener (stream/record/) or the datagram seal use its epochs, and the mux or the control
// channel carries its bodies. Sans-I/O; one thread; not movable, since they hold references.
//
// The link, for each thing that it wants to send:
//   1. while next_control() gives a message, seals it as an uncounted record of its own;
//   2. seals another uncounted record if can_seal_uncounted(), or a counted one of n plaintext
//      bytes if can_seal_counted(n); if neither, it waits: blocked() says so to the limiter
//      attribution, and only handle_ack() ends it;
//   3. calls next_control() again after the record, since a record may make an OFFER due.
// It passes each body that it opened to handle_offer() or handle_ack() and then goes to step 1.
//
// An error from any function is final: the link says why and closes, next_control() gives nothing
// more, and uncounted records (a closing message) can still be sealed if a key is left. That key,
// until its age, is all that is kept: the others are wiped at once.
class LinkRatchet {
 public:
  // Consumes the roots and the PSK. `entropy` is borrowed for the ratchet's life.
  LinkRatchet(const RatchetSetup& setup, EpochRoot client_to_server, EpochRoot server_to_client,
              PskLink psk, Entropy& entropy, TimePoint now);
  LinkRatchet(const LinkRatchet&) = delete;
  LinkRatchet& operator=(const LinkRatchet&) = delete;

  // The next ACK or OFFER that is due, ACKs first, or nothing. Does at most one KEM operation, so
  // a caller whose share of KEM work is used up (kem_turns.h) calls it later. Gives a message only
  // if an uncounted record can be sealed for it. The time of an OFFER starts here.
  // kNoEpochLeft when no key is left and nothing is on its way to bring one.
  Result<std::optional<ControlMessage>> next_control(TimePoint now);
  // Whether next_control() would give something. No KEM work.
  bool has_control(TimePoint now) { return due_control(now).has_value(); }

  // Checks the order and keeps the OFFER; next_control() answers it. No KEM work.
  Result<void> handle_offer(Bytes body, TimePoint now);
  // One KEM operation: an epoch is prepared, and blocked() ends. kAckDeadline when it comes too
  // late, whether or not handle_deadline() has run.
  Result<void> handle_ack(Bytes body, TimePoint now);

  // Whether a counted record of so much plaintext can be sealed now. "No" starts blocked time,
  // "yes" ends it.
  bool can_seal_counted(std::size_t plaintext_bytes, TimePoint now);
  bool can_seal_uncounted(TimePoint now) { return send_.can_seal(RecordClass::uncounted, 0, now); }
  // Whether the last can_seal_counted() said no and nothing has changed since.
  bool blocked() const { return blocked_.running(); }
  // The caller no longer has a counted record: blocked time ends without an ACK.
  void no_longer_wanted(TimePoint now) { blocked_.end(now); }
  // Total, up to now, and the histogram of finished waits.
  const BlockedMeter& blocked_time() const { return blocked_; }
  // From the sealing of an OFFER to the acceptance of its ACK, in microseconds.
  const LogHistogram& ack_round_trips() const { return ack_round_trips_; }

  // Wipes keys whose age has come; kAckDeadline if an OFFER waited too long, kNoEpochLeft as
  // above. After a deadline without error next_control() may have something to give.
  std::optional<TimePoint> next_deadline() const;
  Result<void> handle_deadline(TimePoint now);

  // The link is over for a reason that is not the ratchet's: as after an error.
  void end(const Error& why);

  SendEpochs& send_epochs() { return send_; }
  // The half that the link's carrier has.
  StreamReceiveEpochs& stream_receive() { return std::get<StreamReceiveEpochs>(receive_); }
  DatagramReceiveEpochs& datagram_receive() { return std::get<DatagramReceiveEpochs>(receive_); }

  RatchetCounters counters(TimePoint now);

 private:
  using ReceiveEpochs = std::variant<StreamReceiveEpochs, DatagramReceiveEpochs>;
  struct Counts {
    std::uint64_t offers_sent = 0;
    std::uint64_t acks_received = 0;
    std::uint64_t offers_received = 0;
    std::uint64_t acks_sent = 0;
    std::uint64_t deadline_expiries = 0;
  };

  static ReceiveEpochs make_receive(const LinkParameters& parameters, const EpochRoot& root_0);
  Error fail(const Error& error);
  bool can_answer(TimePoint now);
  Result<void> check_not_stuck(TimePoint now);
  Result<void> check_ack_deadline(TimePoint now);
  std::optional<ControlMessage::Kind> due_control(TimePoint now);
  Result<std::optional<ControlMessage>> make_ack();
  ControlMessage make_offer(TimePoint now);

  Entropy& entropy_;
  PskLink psk_;
  SendEpochs send_;
  OfferSender offers_;
  DepthController depth_;
  ReceiveEpochs receive_;
  OfferAnswerer answers_;
  BlockedMeter blocked_;
  LogHistogram ack_round_trips_;
  Counts counts_;
  OfferBody body_{};  // of the last message given out
  std::optional<Error> failed_;
};

}  // namespace karst::keys
