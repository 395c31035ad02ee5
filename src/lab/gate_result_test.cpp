#include "lab/gate_result.h"

#include <gtest/gtest.h>

namespace karst::lab {
namespace {

CellRun run_of(double mbit, double machine_idle) {
  CellRun run;
  run.mbit = mbit;
  run.machine_idle = machine_idle;
  return run;
}

CellResult cell_with(bool quick, double tunnel_mbit, double machine_idle) {
  return {.cell = {.rtt_ms = 60, .rate_mbit = 1000},
          .quick = quick,
          .direct = {run_of(960, 0.4)},
          .tunnel = {run_of(tunnel_mbit, machine_idle)},
          .threshold = quick ? kQuickThreshold : 0.97};
}

TEST(GateResult, a_quick_cell_that_the_machine_bounds_is_inconclusive) {
  EXPECT_EQ(cell_with(true, 800, 0.01).verdict(), Verdict::inconclusive);
  EXPECT_EQ(cell_with(true, 800, 0.30).verdict(), Verdict::fail);
}

TEST(GateResult, processor_time_as_the_limiter_of_most_runs_bounds_too) {
  CellResult cell = cell_with(true, 800, 0.3);
  cell.tunnel.resize(3, cell.tunnel[0]);
  cell.tunnel[0].limiter = {"cpu", 0.6};
  cell.tunnel[1].limiter = {"congestion window", 0.6};
  cell.tunnel[2].limiter = {"cpu", 0.5};
  EXPECT_EQ(cell.limiter(), "cpu");
  EXPECT_TRUE(cell.machine_bound());
  cell.tunnel[2].limiter = cell.tunnel[1].limiter;
  EXPECT_FALSE(cell.machine_bound());
}

TEST(GateResult, a_stream_may_be_silent_for_three_seconds_and_no_longer) {
  CellRun run = run_of(900, 0.4);
  run.silence_max = kSilenceMax;
  EXPECT_EQ(stall_in(run), std::nullopt);
  run.silence_max = kSilenceMax + std::chrono::milliseconds(100);
  EXPECT_EQ(stall_in(run), "a stream stood still for 3.1 s");
}

TEST(GateResult, a_machine_with_too_few_processors_for_the_rate_bounds) {
  using namespace std::chrono_literals;
  CellResult cell = cell_with(true, 800, 0.3);
  // 960 Mbit/s are 120 MB/s: 2 s for 100 MB make 2.4 processors.
  cell.tunnel[0].bytes = 100'000'000;
  cell.tunnel[0].client_cpu = 800ms;
  cell.tunnel[0].server_cpu = 700ms;
  cell.tunnel[0].lab_cpu = 500ms;
  EXPECT_NEAR(cell.processors_needed(), 2.4, 1e-9);
  EXPECT_EQ(cell.verdict(), Verdict::fail);
  cell.processors = 2;
  EXPECT_EQ(cell.verdict(), Verdict::inconclusive);
  cell.processors = 3;
  EXPECT_EQ(cell.verdict(), Verdict::fail);
}

TEST(GateResult, a_machine_excuses_no_quick_cell_below_the_floor) {
  EXPECT_EQ(cell_with(true, 700, 0.01).verdict(), Verdict::fail);
}

TEST(GateResult, a_machine_excuses_no_cell_of_the_full_gate) {
  EXPECT_TRUE(cell_with(false, 900, 0.01).machine_bound());
  EXPECT_EQ(cell_with(false, 900, 0.01).verdict(), Verdict::fail);
}

TEST(GateResult, an_inconclusive_quick_cell_is_not_in_the_mean_of_its_loss) {
  const GateResult result{.cells = {cell_with(true, 800, 0.01), cell_with(true, 950, 0.2)}};
  ASSERT_EQ(result.levels().size(), 1u);
  EXPECT_NEAR(result.levels()[0].mean, 950.0 / 960, 1e-9);
  EXPECT_EQ(result.verdict(), Verdict::inconclusive);
}

TEST(GateResult, a_path_carries_full_segments_and_both_ways_twice_that) {
  const Cell one{.rate_mbit = 1000, .traffic = Traffic::up};
  const Cell both{.rate_mbit = 1000, .traffic = Traffic::both};
  EXPECT_NEAR(one.capacity_mbit(), 965.3, 0.1);
  EXPECT_NEAR(both.capacity_mbit(), 2 * one.capacity_mbit(), 1e-9);
}

TEST(GateResult, a_run_that_failed_fails_its_cell_whatever_the_rates) {
  CellResult cell = cell_with(false, 960, 0.4);
  EXPECT_EQ(cell.verdict(), Verdict::pass);
  cell.failures = {"bytes arrived that were never sent"};
  EXPECT_EQ(cell.verdict(), Verdict::fail);
  EXPECT_EQ((GateResult{.cells = {cell}}).verdict(), Verdict::fail);
}

TEST(GateResult, a_cell_that_could_not_be_measured_is_inconclusive_and_in_no_mean) {
  CellResult cell = cell_with(false, 960, 0.4);
  cell.direct.clear();
  cell.tunnel.clear();
  cell.void_because = "the emulator itself lost 3 packets";
  const GateResult result{.cells = {cell, cell_with(false, 960, 0.4)}};
  EXPECT_EQ(cell.verdict(), Verdict::inconclusive);
  ASSERT_EQ(result.levels().size(), 1u);
  EXPECT_NEAR(result.levels()[0].mean, 1, 1e-9);
  EXPECT_EQ(result.verdict(), Verdict::inconclusive);
}

TEST(GateResult, a_mean_below_the_threshold_fails_though_no_cell_does) {
  CellResult cell = cell_with(false, 960, 0.4);
  // Of so few pairs the bound of the median reaches the highest ratio.
  cell.direct.resize(3, cell.direct[0]);
  cell.tunnel = {run_of(900, 0.4), run_of(901, 0.4), run_of(955, 0.4)};
  ASSERT_EQ(cell.verdict(), Verdict::inconclusive);
  EXPECT_EQ((GateResult{.cells = {cell}}).verdict(), Verdict::fail);
}

TEST(Calibration, a_machine_may_differ_by_a_twentieth_in_rates_and_a_quarter_in_time) {
  const Calibration same{.cell = "x",
                         .direct_mbit = 950,
                         .direct_mbit_before = 960,
                         .tunnel_mbit = 900,
                         .tunnel_mbit_before = 940,
                         .cpu_s_per_gb = 9,
                         .cpu_s_per_gb_before = 8};
  EXPECT_TRUE(same.ok());
  Calibration slower = same;
  slower.cpu_s_per_gb = 10.5;
  EXPECT_FALSE(slower.ok());
  Calibration path = same;
  path.direct_mbit = 910;
  EXPECT_FALSE(path.ok());
  Calibration tunnel = same;
  tunnel.tunnel_mbit = 890;
  EXPECT_FALSE(tunnel.ok());
}

}  // namespace
}  // namespace karst::lab
