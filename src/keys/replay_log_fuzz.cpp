#include "base/check.h"
#include "keys/replay_log.h"

// Any file reads without harm. No record seems to be of the future or is invented, and the records
// written again read as they were.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  using namespace karst::keys;
  constexpr BootId kBoot = {1, 2, 3};
  const TimePoint now(std::chrono::hours(1));
  const auto log = parse_replay_log({data, size}, kBoot, now);
  if (!log) return 0;
  CHECK((log->records.size() + log->damaged) * kReplayRecordBytes <= size + kReplayRecordBytes);
  ByteVector written;
  append_replay_header(written, kBoot);
  for (const ReplayRecord& record : log->records) {
    CHECK(record.at <= now);
    append_replay_record(written, kBoot, record);
  }
  const auto again = parse_replay_log(written, kBoot, now);
  CHECK(again.ok() && again->damaged == 0 && again->records.size() == log->records.size());
  for (std::size_t i = 0; i < again->records.size(); ++i) {
    CHECK(again->records[i].id == log->records[i].id);
  }
  return 0;
}
