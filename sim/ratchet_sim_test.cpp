#include <gtest/gtest.h>

#include <initializer_list>

#include "base/reader.h"
#include "keys/ratchet_pair_for_test.h"
#include "sim/ratchet_link.h"
#include "sim/ratchet_packets.h"

namespace karst::sim {
namespace {

using namespace std::chrono_literals;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

struct Link {
  Link(const PathConfig& path, std::uint16_t window, keys::DepthMode depth,
       keys::EpochPolicy policy = keys::kExtreme, std::uint64_t seed = 1)
      : pair(keys::RatchetPair::parameters(policy, window), depth, clock.now(), seed),
        up(clock, path, seed),
        down(clock, path, seed + 1),
        client(clock, pair.client, up),
        server(clock, pair.server, down) {
    up.connect(client, server);
    down.connect(server, client);
  }
  void run_for(Duration time) { clock.run_until(clock.now() + time); }
  bool alive() const { return !client.failed && !server.failed; }

  VirtualClock clock;
  keys::RatchetPair pair;
  StreamPipe up;
  StreamPipe down;
  StreamEnd client;
  StreamEnd server;
};

// What the client's direction did in a part of the run.
struct Measured {
  double bits_per_second = 0;
  double blocked = 0;  // share of the time
};

Measured measure(Link& link, Duration time) {
  const auto& meter = link.pair.client.blocked_time();
  const std::uint64_t received = link.server.received;
  const Duration blocked = meter.total(link.clock.now());
  link.run_for(time);
  return {static_cast<double>(link.server.received - received) * 8 / seconds(time),
          seconds(meter.total(link.clock.now()) - blocked) / seconds(time)};
}

TEST(RatchetSim, a_fixed_window_gives_the_rate_of_the_model) {
  for (const Duration round_trip : {60ms, 100ms, 210ms}) {
    for (const std::uint16_t window : std::initializer_list<std::uint16_t>{1, 2, 8, 32, 64}) {
      Link link({round_trip}, window, keys::DepthMode::fixed);
      link.client.pending = StreamEnd::kEndless;
      link.client.pump();
      link.run_for(3 * round_trip);
      const double model = window * 262'144.0 * 8 / seconds(round_trip);
      const auto measured = measure(link, 4 * round_trip);
      EXPECT_TRUE(link.alive());
      EXPECT_LE(measured.bits_per_second, model) << window;
      EXPECT_GE(measured.bits_per_second, 0.9 * model) << window;
    }
  }
}

TEST(RatchetSim, a_window_of_one_waits_a_round_trip_for_each_epoch) {
  Link link({60ms}, 1, keys::DepthMode::fixed);
  link.client.pending = StreamEnd::kEndless;
  link.client.pump();
  link.run_for(6s);
  EXPECT_EQ(link.pair.client.send_epochs().current(), 100u);
}

TEST(RatchetSim, auto_fills_a_gigabit_at_210_ms_and_is_never_blocked_in_slow_start) {
  Link link({210ms, 1'000'000'000, 33'000'000}, 512, keys::DepthMode::automatic);
  link.client.pending = StreamEnd::kEndless;
  link.client.pump();
  EXPECT_LT(measure(link, 3s).blocked, 0.001);
  const auto steady = measure(link, 1500ms);
  EXPECT_GT(steady.bits_per_second, 0.98e9);
  EXPECT_EQ(steady.blocked, 0.0);
  // Offers for one round trip are in flight; the rest pays for a repair.
  const auto counters = link.pair.client.counters(link.clock.now());
  EXPECT_GE(counters.depth_offered, 100u);
  EXPECT_EQ(counters.deadline_expiries, 0u);
}

// One segment in a hundred is one record in ten; everything behind it waits for its repair, the
// OFFERs and the ACKs too.
TEST(RatchetSim, auto_fills_a_gigabit_at_210_ms_also_while_losses_are_repaired) {
  Link link({210ms, 1'000'000'000, 70'000'000, 110}, 512, keys::DepthMode::automatic);
  link.client.pending = StreamEnd::kEndless;
  link.client.pump();
  EXPECT_LT(measure(link, 5s).blocked, 0.01);
  const auto steady = measure(link, 1s);
  EXPECT_GT(steady.bits_per_second, 0.95e9);
  EXPECT_LT(steady.blocked, 0.01);
}

TEST(RatchetSim, auto_lets_prepared_epochs_go_when_the_rate_falls) {
  Link link({60ms, 200'000'000, 3'000'000}, 512, keys::DepthMode::automatic);
  link.client.pending = StreamEnd::kEndless;
  link.client.pump();
  link.run_for(3s);
  const std::size_t fast = link.pair.client.counters(link.clock.now()).depth_target;
  EXPECT_GT(fast, 12u);
  link.client.pending = 0;
  link.run_for(15s);
  EXPECT_EQ(link.pair.client.counters(link.clock.now()).depth_target, 8u);
}

// Counts what passes on the path by the words of docs/protocol/ratchet.md, without the code that
// the ends count with.
class BudgetChecker {
 public:
  BudgetChecker(VirtualClock& clock, keys::EpochPolicy policy) : clock_(clock), policy_(policy) {}

  void record(Bytes record, keys::RecordClass kind) {
    Reader reader(record);
    const std::uint64_t epoch = reader.u64();
    EXPECT_EQ(reader.u64(), sequence_++);
    if (epoch != epoch_) {
      EXPECT_EQ(epoch, epoch_ + 1);
      epoch_ = epoch;
      bytes_ = frames_ = uncounted_ = 0;
      active_ = Duration::zero();
    }
    if (kind == keys::RecordClass::counted) {
      if (frames_++ > 0) active_ += std::min<Duration>(clock_.now() - last_, 100ms);
      last_ = clock_.now();
      bytes_ += record.size() - 32;
    } else {
      ++uncounted_;
    }
    EXPECT_LE(bytes_, policy_.bytes);
    EXPECT_LE(frames_, policy_.frames);
    EXPECT_LE(uncounted_, policy_.frames + 65'536);
    EXPECT_LE(active_, Duration(std::chrono::milliseconds(policy_.active_ms)));
  }
  std::uint64_t epoch() const { return epoch_; }

 private:
  VirtualClock& clock_;
  const keys::EpochPolicy policy_;
  std::uint64_t sequence_ = 0, epoch_ = 0, bytes_ = 0, frames_ = 0, uncounted_ = 0;
  Duration active_{};
  TimePoint last_{};
};

void expect_inside_window(keys::LinkRatchet& ratchet, TimePoint now, std::size_t window) {
  const auto counters = ratchet.counters(now);
  EXPECT_LE(counters.depth_offered + counters.depth_prepared, window);
  EXPECT_LE(counters.receive_prepared + counters.offers_waiting, window);
}

TEST(RatchetSim, ten_thousand_epochs_in_both_directions_keep_keys_budgets_and_windows) {
  std::uint64_t epochs = 0;
  Prng random(42);
  const keys::EpochPolicy few_frames{262'144, 6, 500}, short_time{262'144, 512, 3};
  for (std::uint64_t seed = 1; epochs < 10'000; ++seed) {
    const auto window = static_cast<std::uint16_t>(1 + random.below(24));
    const keys::EpochPolicy policy = seed % 4 == 0   ? keys::kExtreme
                                     : seed % 4 == 1 ? short_time
                                                     : few_frames;
    const PathConfig path{std::chrono::milliseconds(5 + random.below(40)), 400'000'000, 2'000'000,
                          static_cast<std::uint32_t>(random.below(20))};
    Link link(path, window, seed % 2 ? keys::DepthMode::fixed : keys::DepthMode::automatic, policy,
              seed);
    BudgetChecker up(link.clock, policy), down(link.clock, policy);
    link.up.tap = [&](Bytes record, keys::RecordClass kind) { up.record(record, kind); };
    link.down.tap = [&](Bytes record, keys::RecordClass kind) { down.record(record, kind); };
    for (StreamEnd* end : {&link.client, &link.server}) {
      end->on_open = [&, end] {
        expect_inside_window(end->ratchet(), link.clock.now(), window);
        end->record_bytes = 8 + random.below(4'000);
        end->pending += random.below(4) == 0 ? random.below(60'000) : 0;
      };
      end->pending = 1'000'000;
    }
    link.client.pump();
    link.server.pump();
    for (int step = 0; step < 40 && link.alive(); ++step) {
      link.run_for(std::chrono::milliseconds(random.below(100)));
      link.client.pending += random.below(300'000);
      link.server.pending += random.below(300'000);
      link.client.pump();
      link.server.pump();
    }
    ASSERT_TRUE(link.alive())
        << "seed " << seed << ": "
        << (link.client.failed ? link.client : link.server).failed->kind().name;
    epochs += up.epoch() + down.epoch();
  }
}

TEST(RatchetSim, weeks_of_bursts_and_quiet_never_block_the_first_byte_nor_meet_a_deadline) {
  for (const std::uint16_t window : std::initializer_list<std::uint16_t>{1, 2, 512}) {
    Link link({210ms, 100'000'000, 4'000'000}, window, keys::DepthMode::automatic);
    Prng random(window);
    Duration blocked{};
    for (int burst = 0; burst < 200; ++burst) {
      StreamEnd& end = random.below(2) ? link.client : link.server;
      const Duration before = end.ratchet().blocked_time().total(link.clock.now());
      end.pending = 16'000;
      end.pump();
      EXPECT_EQ(end.ratchet().blocked_time().total(link.clock.now()), before)
          << "the first bytes of burst " << burst;
      end.pending += random.below(400'000);
      end.pump();
      link.run_for(std::chrono::seconds(1 + random.below(random.below(2) ? 20 : 20'000)));
      ASSERT_TRUE(link.alive());
    }
  }
}

// An epoch every half second by its active time, with a hundredth of its frames spent.
TEST(RatchetSim, somebody_who_types_for_ten_minutes_is_never_blocked) {
  for (const std::uint16_t window : std::initializer_list<std::uint16_t>{1, 8}) {
    Link link({60ms}, window, keys::DepthMode::automatic);
    for (int key = 0; key < 6000; ++key) {
      link.client.pending += 9;
      link.client.pump();
      link.run_for(100ms);
      ASSERT_TRUE(link.alive()) << "after " << key / 10 << " s";
    }
    EXPECT_EQ(link.pair.client.blocked_time().total(link.clock.now()), 0ms);
    EXPECT_GE(link.pair.client.send_epochs().current(), 900u);
  }
}

TEST(RatchetSim, ten_thousand_epochs_of_packets_under_loss_and_reordering) {
  for (const auto aead : {crypto::AeadKind::aes_256_gcm, crypto::AeadKind::chacha20_poly1305}) {
    VirtualClock clock;
    constexpr std::uint16_t kWindow = 300;
    auto parameters =
        keys::RatchetPair::parameters({262'144, 16, 500}, kWindow, keys::Carrier::datagram);
    parameters.aead = aead;
    keys::RatchetPair pair(parameters, keys::DepthMode::automatic, clock.now());
    PacketEnd client(clock, pair.client, {}, aead, 1), server(clock, pair.server, {}, aead, 2);
    client.connect(server);
    server.connect(client);
    Prng random(3);
    while (pair.client.send_epochs().current() + pair.server.send_epochs().current() < 5'000) {
      client.send_data(1 + random.below(1'400));
      if (random.chance(1, 3)) server.send_data(1 + random.below(1'400));
      clock.run_until(clock.now() + std::chrono::microseconds(random.below(100)));
      ASSERT_FALSE(client.failed || server.failed);
      expect_inside_window(pair.client, clock.now(), kWindow);
      ASSERT_LE(pair.server.datagram_receive().retired(), keys::kRetiredEpochsMax);
    }
    for (const PacketEnd* end : {&client, &server}) {
      EXPECT_EQ(end->without_key, 0u) << "a key went before max(3 RTT, 250 ms)";
      EXPECT_EQ(end->not_opened, 0u);
      EXPECT_EQ(end->wrong_epoch, 0u);
      EXPECT_GT(end->reordered, end->opened / 20) << "the path did not reorder over epochs";
      EXPECT_GT(end->lost, end->opened / 40);
    }
  }
}

}  // namespace
}  // namespace karst::sim
