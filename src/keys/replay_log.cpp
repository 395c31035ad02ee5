#include "keys/replay_log.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/reader.h"
#include "base/writer.h"
#include "crypto/digest.h"

namespace karst::keys {
namespace {

constexpr std::string_view kMagic = "karstrp1";
// A header never reads as a record, nor the other way round.
constexpr std::string_view kHeaderLabel = "karst/1 replay header";
constexpr std::string_view kRecordCheckLabel = "karst/1 replay record";
constexpr std::size_t kCheckBytes = 8;
// Far beyond any clock; keeps the arithmetic from overflowing. 2^43 ms are 278 years.
constexpr std::int64_t kMillisecondsMax = std::int64_t{1} << 43;

void append_check(ByteVector& out, std::size_t start, std::string_view label, const BootId& boot) {
  const auto digest = crypto::sha256({as_bytes(label), boot, Bytes(out).subspan(start)});
  out.insert(out.end(), digest.begin(), digest.begin() + kCheckBytes);
}

bool intact(Bytes block, std::string_view label, const BootId& boot) {
  const Bytes content = block.first(block.size() - kCheckBytes);
  const auto digest = crypto::sha256({as_bytes(label), boot, content});
  return equal(Bytes(digest).first(kCheckBytes), block.last(kCheckBytes));
}

MutableBytes extend(ByteVector& out, std::size_t size) {
  out.resize(out.size() + size);
  return MutableBytes(out).last(size);
}

void to_clock_of_now(std::vector<ReplayRecord>& records, bool same_boot, TimePoint now) {
  if (same_boot) {
    for (ReplayRecord& record : records) record.at = std::min(record.at, now);
    return;
  }
  TimePoint newest = TimePoint::min();
  for (const ReplayRecord& record : records) newest = std::max(newest, record.at);
  for (ReplayRecord& record : records) record.at = now - (newest - record.at);
}

}  // namespace

void append_replay_header(ByteVector& out, const BootId& boot) {
  const std::size_t start = out.size();
  Writer writer(extend(out, kReplayHeaderBytes - kCheckBytes));
  writer.bytes(as_bytes(kMagic));
  writer.bytes(boot);
  append_check(out, start, kHeaderLabel, boot);
}

void append_replay_record(ByteVector& out, const BootId& boot, const ReplayRecord& record) {
  const std::size_t start = out.size();
  Writer writer(extend(out, kReplayRecordBytes - kCheckBytes));
  writer.bytes(record.id);
  const auto milliseconds =
      std::chrono::ceil<std::chrono::milliseconds>(record.at.time_since_epoch()).count();
  writer.u64(static_cast<std::uint64_t>(milliseconds));
  append_check(out, start, kRecordCheckLabel, boot);
}

Result<ReplayLog> parse_replay_log(Bytes file, const BootId& boot, TimePoint now) {
  ReplayLog log;
  if (file.empty()) return log;
  if (file.size() < kReplayHeaderBytes ||
      file.size() > kReplayHeaderBytes + kReplayLogRecordsMax * kReplayRecordBytes) {
    return kReplayLogForeign;
  }
  Reader reader(file);
  const Bytes header = reader.bytes(kReplayHeaderBytes);
  BootId written_in;
  copy_bytes(written_in, header.subspan(kMagic.size(), written_in.size()));
  if (as_text(header.first(kMagic.size())) != kMagic || !intact(header, kHeaderLabel, written_in)) {
    return kReplayLogForeign;
  }
  while (reader.remaining() >= kReplayRecordBytes) {
    const Bytes block = reader.bytes(kReplayRecordBytes);
    Reader fields(block);
    ReplayRecord record;
    fields.copy(record.id);
    const auto milliseconds = static_cast<std::int64_t>(fields.u64());
    if (!intact(block, kRecordCheckLabel, written_in) || milliseconds > kMillisecondsMax ||
        milliseconds < -kMillisecondsMax) {
      ++log.damaged;
      continue;
    }
    record.at = TimePoint(std::chrono::milliseconds(milliseconds));
    log.records.push_back(record);
  }
  if (reader.remaining() > 0) ++log.damaged;
  to_clock_of_now(log.records, written_in == boot, now);
  return log;
}

}  // namespace karst::keys
