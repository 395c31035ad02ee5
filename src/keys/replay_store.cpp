#include "keys/replay_store.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/reader.h"

namespace karst::keys {
namespace {

// A file may hold this many dead records before it is rewritten, or as many as live ones.
constexpr std::size_t kDeadRecordsMin = 4'096;

// The finalizer of splitmix64.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::uint64_t random_u64(Entropy& entropy) {
  const auto bytes = entropy.bytes<8>();
  return Reader(bytes).u64();
}

}  // namespace

std::size_t ReplayStore::Hash::operator()(const ReplayId& id) const {
  Reader reader(id);
  const std::uint64_t high = reader.u64();
  return mix(mix(high ^ key[0]) ^ reader.u64() ^ key[1]);
}

ReplayStore::ReplayStore(const BootId& boot, Entropy& entropy)
    : boot_(boot), index_(0, Hash{{random_u64(entropy), random_u64(entropy)}}) {}

void ReplayStore::add(const ReplayId& id, std::optional<Endpoint> source, TimePoint at) {
  entries_.push_back({id, source, at});
  index_.insert(id);
}

Result<ReplayStore::LoadReport> ReplayStore::load(Bytes file, TimePoint now) {
  CHECK(health_ == Health::not_loaded);
  health_ = Health::foreign;
  TRY_ASSIGN(ReplayLog log, parse_replay_log(file, boot_, now));
  health_ = Health::good;
  std::ranges::stable_sort(log.records, {}, &ReplayRecord::at);
  LoadReport report{.loaded = 0, .expired = 0, .damaged = log.damaged};
  for (const ReplayRecord& record : log.records) {
    if (record.at + kReplayLife <= now) {
      ++report.expired;
    } else if (!index_.contains(record.id)) {
      add(record.id, std::nullopt, record.at);
    }
  }
  report.loaded = entries_.size();
  return report;
}

void ReplayStore::expire(TimePoint now) {
  while (entries_.size() > pending_.size() && entries_.front().at + kReplayLife <= now) {
    index_.erase(entries_.front().id);
    entries_.pop_front();
  }
}

ReplayVerdict ReplayStore::judge(const ReplayId& id, const Endpoint& source, TimePoint now) {
  expire(now);
  if (!index_.contains(id)) return ReplayVerdict::fresh;
  // What is young enough stands at the end.
  for (auto entry = entries_.rbegin();
       entry != entries_.rend() && entry->at + kRetransmissionWindow > now; ++entry) {
    if (entry->id == id && entry->source == source) return ReplayVerdict::retransmission;
  }
  return ReplayVerdict::replay;
}

Result<ReplayTicket> ReplayStore::insert(const HandshakeGrant&, const ReplayId& id,
                                         const Endpoint& source, TimePoint now) {
  if (health_ != Health::good) return kReplayStoreUnwritable;
  expire(now);
  if (index_.contains(id)) return kReplayIdKnown;
  if (entries_.size() >= kReplayIdsMax) return kReplayStoreFull;
  if (pending_.size() + outcomes_.size() >= kReplayPendingMax) return kReplayStoreBusy;
  add(id, source, now);
  pending_.push_back(next_ticket_);
  return next_ticket_++;
}

ByteVector ReplayStore::records_from(std::size_t first, ByteVector bytes) const {
  bytes.reserve(bytes.size() + (entries_.size() - first) * kReplayRecordBytes);
  for (std::size_t i = first; i < entries_.size(); ++i) {
    append_replay_record(bytes, boot_, {entries_[i].id, entries_[i].at});
  }
  return bytes;
}

std::optional<ReplayWrite> ReplayStore::poll_write(TimePoint now) {
  if (writing_) return std::nullopt;
  expire(now);
  const bool due = health_ == Health::good ? replace_next_ || !pending_.empty()
                                           : health_ == Health::failing && now >= *retry_at_;
  if (!due) return std::nullopt;
  if (replace_next_ || file_records_ > 2 * entries_.size() + kDeadRecordsMin) {
    writing_ = {ReplayWrite::Kind::replace, pending_.size(), entries_.size()};
    ByteVector header;
    append_replay_header(header, boot_);
    return ReplayWrite{ReplayWrite::Kind::replace, records_from(0, std::move(header))};
  }
  writing_ = {ReplayWrite::Kind::append, pending_.size(), pending_.size()};
  return ReplayWrite{ReplayWrite::Kind::append,
                     records_from(entries_.size() - pending_.size(), {})};
}

void ReplayStore::written(WriteOutcome outcome, TimePoint now) {
  CHECK(writing_.has_value());
  const Writing done = *std::exchange(writing_, std::nullopt);
  if (outcome == WriteOutcome::durable) {
    health_ = Health::good;
    retry_at_.reset();
    replace_next_ = false;
    file_records_ = done.records + (done.kind == ReplayWrite::Kind::append ? file_records_ : 0);
    for (std::size_t i = 0; i < done.pending; ++i) {
      outcomes_.push_back({pending_.front(), ReplayGrant()});
      pending_.pop_front();
    }
    return;
  }
  // No M2 has left for what is not durable, so it is as if it had never come.
  for (; !pending_.empty(); pending_.pop_front()) {
    outcomes_.push_back({pending_.front(), kReplayStoreUnwritable});
    index_.erase(entries_.back().id);
    entries_.pop_back();
  }
  health_ = Health::failing;
  replace_next_ = true;
  retry_at_ = now + kReplayRetryDelay;
}

std::optional<ReplayOutcome> ReplayStore::poll_outcome() {
  if (outcomes_.empty()) return std::nullopt;
  ReplayOutcome outcome = std::move(outcomes_.front());
  outcomes_.pop_front();
  return outcome;
}

std::optional<TimePoint> ReplayStore::next_deadline() const {
  return health_ == Health::failing && !writing_ ? retry_at_ : std::nullopt;
}

}  // namespace karst::keys
