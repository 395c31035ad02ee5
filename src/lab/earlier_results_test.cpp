#include "lab/earlier_results.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lab/run_record.h"
#include "lab/temporary_folder.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

const Cell kCell{.rtt_ms = 210, .rate_mbit = 1000, .loss = "1", .traffic = Traffic::up};

std::string machine(const std::string& program = "aa") {
  return R"({"kind":"machine","program_sha256":")" + program + "\"}\n";
}

CellRun run_of(std::uint64_t seed, bool tunnel, double mbit) {
  CellRun run;
  run.seed = seed;
  run.tunnel = tunnel;
  run.mbit = mbit;
  return run;
}

std::string line(const CellRun& run) { return run_record(kCell, run) + "\n"; }

class Results : public testing::Test {
 protected:
  std::expected<EarlierResults, std::string> read(const std::string& text,
                                                  const std::string& program = "aa") {
    std::ofstream(path_, std::ios::trunc) << text;
    return EarlierResults::read(path_, program);
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::string path_ = folder_.file("results.jsonl");
};

TEST_F(Results, a_run_comes_back_by_cell_seed_and_who_carried_it) {
  CellRun tunnel = run_of(2, true, 600);
  tunnel.limiter = {"ratchet", 0.5};
  tunnel.client_cpu = 1500ms;
  tunnel.bytes = 1'000'000'000;
  const auto found = read(machine() + line(run_of(2, false, 700)) + line(tunnel));
  ASSERT_TRUE(found.has_value()) << found.error();
  EXPECT_EQ(found->run(kCell, 1, true), nullptr);
  ASSERT_NE(found->run(kCell, 2, true), nullptr);
  EXPECT_EQ(found->run(kCell, 2, true)->mbit, 600);
  EXPECT_EQ(found->run(kCell, 2, true)->limiter.name, "ratchet");
  EXPECT_NEAR(found->run(kCell, 2, true)->cpu_s_per_gb(), 1.5, 1e-9);
  EXPECT_EQ(found->run(kCell, 2, false)->mbit, 700);
}

TEST_F(Results, only_pairs_from_the_first_seed_on_count) {
  const auto found =
      read(machine() + line(run_of(1, false, 1)) + line(run_of(1, true, 1)) +
           line(run_of(2, true, 1)) + line(run_of(3, false, 1)) + line(run_of(3, true, 1)));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->pairs(kCell), 1u);
  EXPECT_EQ(found->pairs({.rtt_ms = 60}), 0u);
}

TEST_F(Results, a_void_run_does_not_count) {
  CellRun late = run_of(1, true, 1);
  late.void_because = "the emulator itself lost 1 packets";
  const auto found = read(machine() + line(late));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->run(kCell, 1, true), nullptr);
}

TEST_F(Results, a_torn_last_line_is_cut_off) {
  const std::string whole = machine() + line(run_of(1, false, 1));
  const std::string torn = line(run_of(1, true, 1));
  ASSERT_TRUE(read(whole + torn.substr(0, torn.size() / 2)).has_value());
  EXPECT_EQ(std::filesystem::file_size(path_), whole.size());
  // All but its newline is torn as well: what follows would be in the same line.
  const auto found = read(whole + torn.substr(0, torn.size() - 1));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->pairs(kCell), 0u);
  EXPECT_EQ(std::filesystem::file_size(path_), whole.size());
}

TEST_F(Results, a_broken_line_before_the_last_is_named) {
  const auto found = read(machine() + "{\"kind\":\n" + machine());
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().find("line 2 is none"), std::string::npos) << found.error();
}

TEST_F(Results, a_run_without_its_figures_is_named) {
  const auto found = read(machine() + "{\"kind\":\"run\",\"cell\":\"x\"}\n");
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().find("line 2 is none"), std::string::npos) << found.error();
}

TEST_F(Results, the_settings_of_the_plan_come_back) {
  EXPECT_EQ(read(machine())->settings(), "");
  const auto found = read(machine() + R"({"kind":"plan","settings":"quick, policy soft"})" + "\n");
  ASSERT_TRUE(found.has_value()) << found.error();
  EXPECT_EQ(found->settings(), "quick, policy soft");
}

TEST_F(Results, of_another_program_are_refused) {
  const auto found = read(machine("bb"));
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().find("another program"), std::string::npos) << found.error();
}

TEST_F(Results, a_failure_of_the_tunnel_ends_its_cell_and_one_of_bare_tcp_does_not) {
  const auto failure = [](const char* who, const Cell& cell) {
    return nlohmann::json{
               {"kind", "failure"}, {"peer", who}, {"cell", cell.name()}, {"reason", "it stalled"}}
               .dump() +
           "\n";
  };
  const Cell other{.rtt_ms = 100};
  const auto found = read(machine() + failure(kKarstName, kCell) + failure(kBareName, other));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->failures(kCell), std::vector<std::string>{"it stalled"});
  EXPECT_TRUE(found->failures(other).empty());
}

}  // namespace
}  // namespace karst::lab
