#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "crypto/secret_bytes.h"
#include "keys/client_psk.h"
#include "keys/registry_state.h"
#include "keys/write_outcome.h"

namespace karst::keys {

inline constexpr std::size_t kRegistryChangesMax = 1'024;  // not yet polled as outcomes
// After a failed write, the time until one is tried without a new change.
inline constexpr Duration kRegistryRetryDelay = std::chrono::seconds(10);

inline constexpr ErrorKind kRegistryBusy{"registry", "registry-busy",
                                         "too many registry changes wait to be written"};
inline constexpr ErrorKind kRegistryNotStored{"registry", "registry-not-stored",
                                              "the client registry could not be written"};

// Names one change until its outcome has been polled.
using ChangeTicket = std::uint64_t;

// What became of one change. Only ClientRegistry makes it, so it can stand as a proof.
class ChangeOutcome {
 public:
  ChangeTicket ticket() const { return ticket_; }
  const Result<void>& result() const { return result_; }

 private:
  friend class ClientRegistry;
  ChangeOutcome(ChangeTicket ticket, Result<void> result) : ticket_(ticket), result_(result) {}
  ChangeTicket ticket_;
  Result<void> result_;
};

// The server's clients and invites. A pure value: no file. A change counts when it is durable:
//
//   ticket = registry.add_invite(...)        any of the changes
//   text = registry.poll_write(now)          write to a new file, sync, rename, sync the folder
//   registry.written(durable or failed, now)
//   registry.poll_outcome()                  until empty: one per change, in order
//
// One write is outstanding at a time and carries all changes that waited for it; if it fails, all
// of them are refused and the registry is as before. Changes are judged when their write is made,
// in order, so two that exclude each other cannot both succeed. Two exceptions take effect at once,
// because that is the safe side, and are written again after a failure until they are on disk:
// revoke() and forget_generation_0(). One thread.
class ClientRegistry {
 public:
  // Empty: for a new server.
  ClientRegistry() = default;
  explicit ClientRegistry(RegistryState state) : state_(std::move(state)) {}
  // The file's content. Errors: parse_registry().
  static Result<ClientRegistry> parse(std::string_view text);
  // What is durable or took effect at once.
  crypto::SecretBytes format() const { return format_registry(state_); }

  // RegistryState::find().
  Result<KnownClient> find(const NodeId& node, const wire::PskSelector& selector,
                           UnixTime now) const {
    return state_.find(node, selector, now);
  }
  std::optional<NodeId> find_client(std::string_view name) const {
    return state_.find_client(name);
  }
  const std::map<NodeId, ClientRecord>& clients() const { return state_.clients; }
  const std::map<wire::InviteId, InviteRecord>& invites() const { return state_.invites; }

  // Changes. Each gives a ticket, or kRegistryBusy. What is wrong with it comes as its outcome.
  Result<ChangeTicket> add_client(const NodeId& node, std::string_view name, ClientPsk generation_0,
                                  const wire::ClientLimits& limits);
  Result<ChangeTicket> remove_client(const NodeId& node);
  Result<ChangeTicket> set_limits(const NodeId& node, const wire::ClientLimits& limits);
  Result<ChangeTicket> revoke(const NodeId& node);
  Result<ChangeTicket> restore(const NodeId& node);
  Result<ChangeTicket> add_invite(const wire::InviteId& id, std::string_view name, ClientPsk psk,
                                  UnixTime expiry, const wire::ClientLimits& limits);
  Result<ChangeTicket> remove_invite(const wire::InviteId& id);
  // Removes invites that are past their expiry and that no client may still need to enrol again.
  Result<ChangeTicket> remove_expired_invites(UnixTime now);
  // Registers `node` under the invite and spends it. For the handshake.
  Result<ChangeTicket> enrol(const NodeId& node, const wire::InviteId& id, SharedPsk enrolled,
                             UnixTime now);
  // A link under `used` was confirmed: where that is generation 1 of `node`, the older PSK goes. A
  // newer enrolment that is on its way to the disk keeps it, since nobody has shown that PSK yet.
  // For the handshake; no ticket.
  void forget_generation_0(const NodeId& node, SharedPsk used);

  // The text to write next; nothing while a write is outstanding or when nothing has changed.
  std::optional<crypto::SecretBytes> poll_write(TimePoint now);
  // The outcome of the write that poll_write() asked for (checked).
  void written(WriteOutcome outcome, TimePoint now);
  std::optional<ChangeOutcome> poll_outcome();
  // Nothing waits to be written, is being written, or has an outcome that was not polled.
  bool settled() const { return waiting_.empty() && !writing_ && outcomes_.empty() && !unsaved_; }
  // When poll_write() will have something although nothing happens until then.
  std::optional<TimePoint> next_deadline() const;

 private:
  struct Waiting {
    ChangeTicket ticket;
    RegistryChange change;
  };
  // A write that is under way: the state that it makes durable and what to report then.
  struct Writing {
    RegistryState state;
    std::vector<ChangeOutcome> outcomes;
    bool kept_on_failure = false;  // holds something that took effect at once
  };

  Result<ChangeTicket> submit(RegistryChange change);
  // Makes a change in memory without waiting for the disk; true if it changed something.
  bool take_effect(const RegistryChange& change);

  RegistryState state_;
  std::deque<Waiting> waiting_;
  std::optional<Writing> writing_;
  std::deque<ChangeOutcome> outcomes_;
  ChangeTicket next_ticket_ = 1;
  bool unsaved_ = false;  // state_ holds something that took effect at once and is not on disk
  std::optional<TimePoint> retry_at_;
};

}  // namespace karst::keys
