// How fast the multiplexer lets a long path be used.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "stream/mux/mux.h"
#include "stream/mux/test_pair.h"
#include "stream/mux/test_path.h"

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kGigabit = 1'000'000'000 / 8;
constexpr Path kLongFat{105ms, kGigabit};
// What of the path's rate is payload when every record is full.
constexpr double kPayloadShare = 16'327.0 / 16'406.0;

// A server that sends on every stream as fast as it may, and a client that reads at once.
struct Download : Simulation {
  std::vector<StreamId> streams;
  std::map<StreamId, std::uint64_t> read;
  ByteVector block = ByteVector(64 * 1024);
  bool reads_at_once = true;

  explicit Download(int count, const Path& path = kLongFat, Limits limits = {})
      : Simulation(path, limits) {
    on_event = [this](Mux& mux, const Event& event) { handle(mux, event); };
    on_turn = [this](Mux& mux) {
      if (&mux != &server) return;
      for (const StreamId stream : streams) mux.send(stream, block);
    };
    for (int i = 0; i < count; ++i) EXPECT_TRUE(client.open(tcp()).ok());
  }

  void handle(Mux& mux, const Event& event) {
    if (const auto* opened = std::get_if<Opened>(&event)) {
      mux.accept(opened->stream, std::nullopt);
      streams.push_back(opened->stream);
    }
    const auto* readable = std::get_if<Readable>(&event);
    if (readable && reads_at_once) consume(mux, readable->stream);
  }
  void consume(Mux& mux, StreamId stream) {
    const std::size_t count = mux.received_bytes(stream);
    read[stream] += count;
    mux.consume_received(stream, count, now);
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& [stream, bytes] : read) sum += bytes;
    return sum;
  }
  // The share of the path's payload rate that was read in the time.
  double share_of_path(Duration time, const Path& path = kLongFat) {
    const std::uint64_t before = total();
    run_for(time);
    const double seconds = std::chrono::duration<double>(time).count();
    return double(total() - before) / seconds / double(path.bytes_per_second) / kPayloadShare;
  }
};

TEST(MuxPath, one_stream_fills_a_gigabit_at_210_ms_within_four_round_trips_of_its_first_byte) {
  Download download(1);
  // OPEN up, first byte down, and four round trips.
  download.run_for(5 * 210ms);
  const auto stalls = download.server.counters();
  EXPECT_GT(download.share_of_path(1s), 0.995);
  EXPECT_EQ(download.server.counters().stream_credit_stalls, stalls.stream_credit_stalls);
  EXPECT_EQ(download.server.counters().link_credit_stalls, stalls.link_credit_stalls);
}

TEST(MuxPath, credit_for_a_gigabit_takes_less_than_fifty_records_a_second) {
  Download download(1);
  download.run_for(2s);
  const std::uint64_t before = download.records_up();
  download.run_for(1s);
  EXPECT_GT(download.records_up(), before);
  EXPECT_LT(download.records_up() - before, 50u);
}

TEST(MuxPath, a_stream_that_is_held_up_for_a_round_trip_now_and_then_loses_nothing) {
  Download download(1);
  download.run_for(2s);
  const TimePoint start = download.now;
  download.held_up = [&] {
    // For 210 ms in each 700 ms nothing is delivered, then all of it.
    return (download.now - start) % 700ms < 210ms;
  };
  EXPECT_GT(download.share_of_path(2800ms), 0.99);
}

TEST(MuxPath, eight_streams_share_a_full_path_within_a_tenth) {
  Download download(8);
  download.run_for(5 * 210ms);
  download.read.clear();
  EXPECT_GT(download.share_of_path(1s), 0.995);
  const auto [least, most] = std::ranges::minmax_element(
      download.read, {}, [](const auto& entry) { return entry.second; });
  EXPECT_LT(most->second - least->second, least->second / 10);
}

TEST(MuxPath, a_hundred_streams_fill_the_path) {
  Download download(100);
  download.run_for(5 * 210ms);
  EXPECT_GT(download.share_of_path(1s), 0.995);
}

TEST(MuxPath, a_small_answer_does_not_wait_behind_eight_downloads) {
  Download download(8);
  download.run_for(1s);
  const StreamId small = *download.client.open(tcp());
  TimePoint asked{};
  Duration longest{};
  download.on_event = [&](Mux& mux, const Event& event) {
    const auto* readable = std::get_if<Readable>(&event);
    const auto* opened = std::get_if<Opened>(&event);
    if (opened) {
      mux.accept(opened->stream, std::nullopt);
    } else if (readable && readable->stream == small) {
      mux.consume_received(small, mux.received_bytes(small), download.now);
      if (&mux == &download.server) {
        mux.send(small, ByteVector(64));
      } else {
        longest = std::max(longest, download.now - asked);
        asked = download.now;
        mux.send(small, ByteVector(64));
      }
    } else {
      download.handle(mux, event);
    }
  };
  asked = download.now;
  download.client.send(small, ByteVector(64));
  download.run_for(3s);
  EXPECT_GE(longest, 210ms);
  EXPECT_LT(longest, 212ms);
}

// A client whose sink takes a fixed rate.
struct SlowDownload : Download {
  std::uint64_t rate;
  double allowed = 0;
  TimePoint last;
  std::uint64_t highest_window = 0;

  explicit SlowDownload(std::uint64_t bytes_per_second)
      : Download(1), rate(bytes_per_second), last(now) {
    reads_at_once = false;
    on_turn = [this](Mux& mux) {
      for (const StreamId stream : streams) {
        if (&mux == &server) {
          mux.send(stream, block);
        } else {
          take(mux, stream);
        }
      }
    };
  }
  // Takes what the time since its last turn allows, without saving up for later.
  void take(Mux& mux, StreamId stream) {
    const double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    allowed = std::min(allowed + seconds * double(rate), double(rate) / 500);
    const std::size_t count =
        std::min(static_cast<std::size_t>(allowed), mux.received_bytes(stream));
    allowed -= double(count);
    read[stream] += count;
    mux.consume_received(stream, count, now);
    if (const auto status = mux.status(stream)) {
      highest_window = std::max(highest_window, status->receive_window);
    }
  }
};

TEST(MuxPath, a_slow_reader_gets_a_window_that_fits_its_rate) {
  // 8 Mbit/s at 210 ms is 210,000 bytes: the initial window is more than four times that.
  SlowDownload slow(1'000'000);
  slow.run_for(10s);
  EXPECT_EQ(slow.highest_window, wire::kStreamWindowInitial);
  EXPECT_NEAR(double(slow.total()), 10e6, 0.4e6);
  // 200 Mbit/s is 5.25 MB: at least twice that, at most eight times, and all of its rate.
  SlowDownload faster(25'000'000);
  faster.run_for(4s);
  EXPECT_GE(faster.highest_window, 2 * 5'250'000u);
  EXPECT_LE(faster.highest_window, 8 * 5'250'000u);
  const std::uint64_t before = faster.total();
  faster.run_for(2s);
  EXPECT_NEAR(double(faster.total() - before), 50e6, 1e6);
}

}  // namespace
}  // namespace karst::stream::mux
