#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/ip.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/handshake_limiter.h"
#include "keys/write_outcome.h"

namespace karst::keys {

using ReplayId = std::array<std::uint8_t, 16>;
// One run of the machine's monotonic clock (/proc/sys/kernel/random/boot_id).
using BootId = std::array<std::uint8_t, 16>;

// 50 per second for 3 hours.
inline constexpr std::size_t kReplayIdsMax = 540'000;
inline constexpr Duration kReplayLife = std::chrono::hours(3);
inline constexpr Duration kRetransmissionWindow = std::chrono::seconds(10);
// After a failed write, the time until the next try.
inline constexpr Duration kReplayRetryDelay = std::chrono::seconds(10);

inline constexpr ErrorKind kReplayStoreFull{"replay", "replay-store-full",
                                            "the replay store holds as many ids as it may"};
inline constexpr ErrorKind kReplayStoreUnwritable{
    "replay", "replay-store-unwritable",
    "the replay store cannot be written, so the datagram carrier admits nobody new"};
inline constexpr ErrorKind kReplayLogForeign{"replay", "replay-log-foreign",
                                             "the file is not a karst replay log"};

enum class ReplayVerdict {
  fresh,           // never seen, or longer ago than an id lives
  retransmission,  // seen within 10 s from the same address and port
  replay,          // drop it unanswered
};

using ReplayTicket = std::uint64_t;

// Proof that an id is on disk: M2 may leave. Only ReplayStore makes it.
class ReplayGrant {
 public:
  ReplayGrant(ReplayGrant&&) = default;
  ReplayGrant& operator=(ReplayGrant&&) = default;

 private:
  friend class ReplayStore;
  ReplayGrant() = default;
};

// One write that the store asks for.
struct ReplayWrite {
  enum class Kind {
    append,   // add the bytes to the file and sync it
    replace,  // a new file with these bytes: write, sync, rename, sync the folder
  };
  Kind kind = Kind::append;
  ByteVector bytes;
};

// Remembers the M1 of the datagram carrier that were let in, so that none is answered twice.
// Pure: the log's bytes go in and out (format: docs/protocol/session-files.md).
//
//   judge(id, source)        before anything else is known of M1
//   insert(grant, id, ...)   after the rate limit; gives a ticket
//   poll_write(), written()  one write outstanding; what comes meanwhile shares the next one
//   take(ticket)             a ReplayGrant when the id is on disk
//
// Time is the monotonic clock that counts suspend; no wall clock is looked at, so a step of it
// expires nothing. Across a boot the time that the machine was off counts as zero: an id can only
// live longer than 3 hours, never shorter. When the file cannot be written nobody new is let in
// until a later write of the whole file succeeds. One thread.
class ReplayStore {
 public:
  // `entropy` keys the table, so that chosen ids cannot collide on purpose.
  ReplayStore(const BootId& boot, Entropy& entropy);

  struct LoadReport {
    std::size_t loaded = 0;
    std::size_t expired = 0;
    std::size_t damaged = 0;  // records whose checksum failed, a torn last one included
  };
  // Once, before anything else (checked); an absent file is an empty one. kReplayLogForeign leaves
  // the store unwritable for good, since overwriting a file that is not ours would be wrong.
  Result<LoadReport> load(Bytes file, TimePoint now);

  ReplayVerdict judge(const ReplayId& id, const Endpoint& source, TimePoint now);
  // The id must have been judged fresh at `now` (checked). kReplayStoreFull,
  // kReplayStoreUnwritable.
  Result<ReplayTicket> insert(const HandshakeGrant& grant, const ReplayId& id,
                              const Endpoint& source, TimePoint now);

  std::optional<ReplayWrite> poll_write(TimePoint now);
  // The outcome of the write that poll_write() asked for.
  void written(WriteOutcome outcome, TimePoint now);
  // Nothing while the write is under way; kReplayStoreUnwritable when it failed. Each ticket once.
  Result<std::optional<ReplayGrant>> take(ReplayTicket ticket);

  // False: nobody new is let in. For `karst status`.
  bool writable() const;
  std::size_t size() const { return entries_.size(); }
  std::optional<TimePoint> next_deadline() const;

 private:
  struct Entry {
    ReplayId id;
    Endpoint source;
    TimePoint at;
  };
  std::deque<Entry> entries_;  // oldest first
};

}  // namespace karst::keys
