#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "stream/mux/stream.h"

namespace karst::stream::mux {

// The streams of a link that are not closed. Numbers are given out one after another, so that a
// number alone tells a closed stream from one that was never opened, and closed streams need no
// memory.
class StreamTable {
 public:
  // The number of the next stream, and 0 once all are used up.
  std::uint32_t next() const { return last_ < wire::kStreamIdMax ? last_ + 1 : 0; }
  wire::StreamId last() const { return wire::StreamId{last_}; }
  bool was_opened(wire::StreamId id) const { return static_cast<std::uint32_t>(id) <= last_; }
  std::size_t size() const { return streams_.size(); }

  // Opens stream next(), which is not 0.
  Stream& add(wire::StreamKind kind, MemoryBudget& budget) {
    ++last_;
    auto stream = std::make_unique<Stream>(wire::StreamId{last_}, kind, budget);
    return *(streams_[last_] = std::move(stream));
  }
  Stream* find(wire::StreamId id) const {
    const auto entry = streams_.find(static_cast<std::uint32_t>(id));
    return entry == streams_.end() ? nullptr : entry->second.get();
  }
  void remove(wire::StreamId id) { streams_.erase(static_cast<std::uint32_t>(id)); }

  // In no particular order: only for what does not depend on it.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [id, stream] : streams_) visit(*stream);
  }

 private:
  std::unordered_map<std::uint32_t, std::unique_ptr<Stream>> streams_;
  std::uint32_t last_ = 0;
};

}  // namespace karst::stream::mux
