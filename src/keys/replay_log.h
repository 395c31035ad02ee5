#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"

// The bytes of the replay log: docs/protocol/session-files.md.

namespace karst::keys {

using ReplayId = std::array<std::uint8_t, 16>;
// One run of the machine's monotonic clock (/proc/sys/kernel/random/boot_id).
using BootId = std::array<std::uint8_t, 16>;

inline constexpr ErrorKind kReplayLogForeign{"replay", "replay-log-foreign",
                                             "the file is not a karst replay log"};

inline constexpr std::size_t kReplayHeaderBytes = 32;
inline constexpr std::size_t kReplayRecordBytes = 32;
// No log that the store writes has more: it is rewritten before.
inline constexpr std::size_t kReplayLogRecordsMax = 1'100'000;

struct ReplayRecord {
  ReplayId id{};
  TimePoint at;  // on the clock of the log's boot; milliseconds, rounded up
};

void append_replay_header(ByteVector& out, const BootId& boot);
void append_replay_record(ByteVector& out, const BootId& boot, const ReplayRecord& record);

struct ReplayLog {
  std::vector<ReplayRecord> records;  // as they stand in the file
  std::size_t damaged = 0;
};
// Reads a log and puts its times on the clock of `boot` at `now`: those of the same boot are taken
// as they are, but none is later than `now`; of another boot the newest is taken to be `now` and
// the others as much older as they were. So no record ever seems older than it is. A record whose
// checksum is wrong is left out and counted, and so are bytes after the last whole one.
// kReplayLogForeign when the header is not intact; an empty file is an empty log.
Result<ReplayLog> parse_replay_log(Bytes file, const BootId& boot, TimePoint now);

}  // namespace karst::keys
