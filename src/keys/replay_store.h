#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/ip.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/handshake_limiter.h"
#include "keys/replay_log.h"
#include "keys/write_outcome.h"

namespace karst::keys {

// 50 per second for 3 hours.
inline constexpr std::size_t kReplayIdsMax = 540'000;
inline constexpr std::size_t kReplayPendingMax = 4'096;  // inserted, and no outcome polled yet
inline constexpr Duration kReplayLife = std::chrono::hours(3);
inline constexpr Duration kRetransmissionWindow = std::chrono::seconds(10);
// After a failed write, the time until the next try.
inline constexpr Duration kReplayRetryDelay = std::chrono::seconds(10);

inline constexpr ErrorKind kReplayStoreFull{"replay", "replay-store-full",
                                            "the replay store holds as many ids as it may"};
inline constexpr ErrorKind kReplayStoreBusy{"replay", "replay-store-busy",
                                            "too many ids wait for the disk"};
inline constexpr ErrorKind kReplayIdKnown{"replay", "replay-id-known",
                                          "this message was let in already"};
inline constexpr ErrorKind kReplayStoreUnwritable{
    "replay", "replay-store-unwritable",
    "the replay store cannot be written, so the datagram carrier admits nobody new"};

enum class ReplayVerdict {
  fresh,           // never seen, or longer ago than an id lives
  retransmission,  // seen within 10 s from the same address and port
  replay,          // drop it unanswered
};

// Proof that an id is on disk: M2 may leave. Only ReplayStore makes it.
class ReplayGrant {
 public:
  ReplayGrant(ReplayGrant&&) = default;
  ReplayGrant& operator=(ReplayGrant&&) = default;

 private:
  friend class ReplayStore;
  ReplayGrant() = default;
};

using ReplayTicket = std::uint64_t;
struct ReplayOutcome {
  ReplayTicket ticket = 0;
  Result<ReplayGrant> result;  // or kReplayStoreUnwritable
};

// One write that the store asks for.
struct ReplayWrite {
  enum class Kind {
    append,  // add the bytes to the file and sync it
    // A new file with these bytes: write, sync, rename, sync the folder. Whoever keeps the file
    // open for appending opens it anew after this: the old one has no name any more.
    replace,
  };
  Kind kind = Kind::append;
  ByteVector bytes;
};

// Remembers the M1 of the datagram carrier that were let in, so that none is answered twice.
// Pure: the log's bytes go in and out (format: docs/protocol/session-files.md).
//
//   load(file)                once
//   judge(id, source)         before anything else is known of M1
//   insert(grant, id, ...)    after the rate limit; gives a ticket
//   poll_write(), written()   one write outstanding; what comes meanwhile shares the next one
//   poll_outcome()            one per ticket, in order: a ReplayGrant when the id is on disk
//
// Time is the monotonic clock that counts suspend; no wall clock is looked at, so a step of it
// expires nothing. Across a boot the time that the machine was off counts as zero: an id can only
// live longer than 3 hours, never shorter. When the file cannot be written nobody new is let in
// until a later write of the whole file succeeds. One thread; `now` never goes back.
class ReplayStore {
 public:
  // `entropy` keys the table, so that chosen ids cannot collide on purpose.
  ReplayStore(const BootId& boot, Entropy& entropy);

  struct LoadReport {
    std::size_t loaded = 0;
    std::size_t expired = 0;
    std::size_t damaged = 0;  // records whose checksum failed, a torn last one included
  };
  // Once, before anything else (checked); an absent file is an empty one. On kReplayLogForeign the
  // store stays unwritable for good, since to overwrite a file that is not ours would be wrong.
  Result<LoadReport> load(Bytes file, TimePoint now);

  ReplayVerdict judge(const ReplayId& id, const Endpoint& source, TimePoint now);
  // For an id that was judged fresh. kReplayIdKnown when it is no longer, as for the second of two
  // copies that were both judged before either was inserted; kReplayStoreUnwritable,
  // kReplayStoreFull, kReplayStoreBusy.
  Result<ReplayTicket> insert(const HandshakeGrant& grant, const ReplayId& id,
                              const Endpoint& source, TimePoint now);

  std::optional<ReplayWrite> poll_write(TimePoint now);
  // The outcome of the write that poll_write() asked for (checked).
  void written(WriteOutcome outcome, TimePoint now);
  std::optional<ReplayOutcome> poll_outcome();
  // When poll_write() will have something although nothing happens until then.
  std::optional<TimePoint> next_deadline() const;

  // False: nobody new is let in. For `karst status`.
  bool writable() const { return health_ == Health::good; }
  std::size_t size() const { return entries_.size(); }

 private:
  enum class Health { not_loaded, good, failing, foreign };
  struct Entry {
    ReplayId id;
    std::optional<Endpoint> source;  // nothing for one that was loaded
    TimePoint at;
  };
  struct Hash {
    std::uint64_t key[2];
    std::size_t operator()(const ReplayId& id) const;
  };
  struct Writing {
    ReplayWrite::Kind kind = ReplayWrite::Kind::append;
    std::size_t pending = 0;  // how many of pending_ it makes durable
    std::size_t records = 0;  // how many it adds to the file
  };

  void expire(TimePoint now);
  void add(const ReplayId& id, std::optional<Endpoint> source, TimePoint at);
  // `bytes`, then the records of the entries from `first` on.
  ByteVector records_from(std::size_t first, ByteVector bytes) const;

  BootId boot_;
  Health health_ = Health::not_loaded;
  std::deque<Entry> entries_;  // oldest first; the last ones are those of pending_
  std::unordered_set<ReplayId, Hash> index_;
  std::deque<ReplayTicket> pending_;
  std::deque<ReplayOutcome> outcomes_;
  std::optional<Writing> writing_;
  std::size_t file_records_ = 0;
  bool replace_next_ = true;
  std::optional<TimePoint> retry_at_;
  ReplayTicket next_ticket_ = 1;
};

}  // namespace karst::keys
