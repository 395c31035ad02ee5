#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/link_secrets.h"
#include "keys/ratchet.h"
#include "stream/kem_gate.h"
#include "stream/mux/mux.h"
#include "stream/record/record_opener.h"
#include "stream/record/record_sealer.h"
#include "stream/tunnel_body.h"

namespace karst::stream {

struct LinkSetup {
  mux::Role role = mux::Role::client;
  keys::LinkParameters parameters;
  keys::DepthMode depth = keys::DepthMode::automatic;
  mux::Limits limits;
};

// What keeps a link's own layers from handing out another record; the carrier below asks.
enum class LinkBlocked : std::uint8_t { idle, ready, ratchet, mux_credit };

// One link of the stream carrier above the WebSocket: the multiplexer, the ratchet and the sealed
// records between them. Bytes of whole records in and out; it knows nothing of HTTP or TLS.
//
//   1. send_first() with the plaintext of the first record (OK from a server, nothing from a
//      client); until release() nothing else leaves
//   2. each received record through open() and accept(), a client's first through open_ok(); then
//      mux().poll_event() until nothing
//   3. poll_record() as long as the carrier takes records
//   4. handle_deadline() when next_deadline() has come
//
// After an error the link is over: poll_record() gives at most one last record with GOAWAY.
// Borrows the budget and the entropy. One thread.
class Link final : public RecordSource {
 public:
  Link(const LinkSetup& setup, keys::LinkSecrets secrets, MemoryBudget& budget, Entropy& entropy,
       TimePoint now);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void send_first(Bytes plaintext);
  void release() { released_ = true; }

  // Authenticates and decrypts one record; the plaintext lives until the next call of either.
  // open_ok() is for the server's first record, whose plaintext is no frame.
  Result<record::OpenedRecord> open(Bytes record, TimePoint now);
  Result<Bytes> open_ok(Bytes record, TimePoint now);
  // Hands an opened record to the ratchet or the multiplexer.
  Result<void> accept(const record::OpenedRecord& record, TimePoint now);

  std::size_t poll_record(MutableBytes space, TimePoint now) override;

  // From now on, KEM work waits for its turn. Borrowed; null is none.
  void set_kem_gate(KemGate* gate) { kem_gate_ = gate; }

  std::optional<TimePoint> next_deadline() const { return ratchet_.next_deadline(); }
  Result<void> handle_deadline(TimePoint now);

  LinkBlocked blocked() const;
  mux::Mux& mux() { return mux_; }
  const mux::Mux& mux() const { return mux_; }
  keys::LinkRatchet& ratchet() { return ratchet_; }
  const keys::LinkParameters& parameters() const { return parameters_; }
  // Set after poll_record() or a deadline when the link broke on its own side.
  const std::optional<Error>& error() const { return error_; }

 private:
  Error fail(const Error& error);
  Result<std::optional<keys::ControlMessage>> next_control(TimePoint now);
  Result<void> handle_ack(Bytes body, TimePoint now);
  Result<MutableBytes> take(Bytes record);
  std::size_t seal(wire::RecordKind kind, MutableBytes space, std::size_t plaintext_bytes,
                   TimePoint now);
  std::size_t poll_control(MutableBytes space, TimePoint now);
  std::size_t poll_frames(MutableBytes space, TimePoint now);

  const keys::LinkParameters parameters_;
  keys::LinkRatchet ratchet_;
  record::RecordSealer sealer_;
  record::RecordOpener opener_;
  mux::Mux mux_;
  std::optional<ByteVector> first_;
  bool released_ = false;
  KemGate* kem_gate_ = nullptr;
  std::optional<Error> error_;
  std::array<std::uint8_t, kRecordBytesMax> opened_;
};

}  // namespace karst::stream
