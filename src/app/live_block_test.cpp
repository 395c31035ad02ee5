#include "app/live_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/status_example_for_test.h"

using namespace karst::app;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

TEST(LiveBlock, a_client_that_is_up_shows_rates_and_the_limiter_with_the_largest_share) {
  LiveBlock block;
  auto status = example_client();
  block.compose(status.dump(), 1000);
  status["links"][0]["send"]["bytes"] = (3 << 20) + 250'000;
  status["links"][0]["receive"]["bytes"] = 2048 + 2'500;
  EXPECT_THAT(
      block.compose(status.dump(), 1002),
      ElementsAre("karst  up to example.org:443 for 2 min 5 s",
                  "  traffic  1.0 Mbit/s out, 10 kbit/s in, RTT 12 ms",
                  "  limiter  congestion window 70 %", "  keys     epoch 41 out, 7 in; 8 prepared",
                  "  proxy    127.0.0.1:1080, [::1]:1080, 2 connections"));
}

TEST(LiveBlock, a_client_that_is_up_has_each_line_whole_on_60_columns) {
  LiveBlock block;
  auto status = example_client();
  status["proxy"] = {"127.0.0.1:1080"};
  for (const std::string& line : block.compose(status.dump(), 1000)) {
    EXPECT_LT(line.size(), 60u) << line;
  }
}

TEST(LiveBlock, a_clock_that_is_off_is_shown) {
  LiveBlock block;
  auto status = example_client();
  status["links"][0]["clock_offset_seconds"] = 315'360'000;
  EXPECT_THAT(block.compose(status.dump(), 1000).at(4),
              "  clock    this machine is 10 years ahead of the server; one is wrong");
}

TEST(LiveBlock, a_client_without_a_proxy_is_told_that_nothing_uses_the_tunnel) {
  LiveBlock block;
  auto status = example_client();
  status.erase("proxy");
  EXPECT_THAT(block.compose(status.dump(), 1000).back(), HasSubstr("nothing uses the tunnel"));
}

TEST(LiveBlock, the_first_answer_has_no_rate) {
  LiveBlock block;
  EXPECT_THAT(block.compose(example_client().dump(), 1000).at(1),
              HasSubstr("0 bit/s out, 0 bit/s in"));
}

TEST(LiveBlock, counters_that_begin_anew_give_no_negative_rate) {
  LiveBlock block;
  auto status = example_client();
  block.compose(status.dump(), 1000);
  status["links"][0]["send"]["bytes"] = 0;
  status["links"][0]["receive"]["bytes"] = 0;
  EXPECT_THAT(block.compose(status.dump(), 1001).at(1), HasSubstr("0 bit/s out, 0 bit/s in"));
}

TEST(LiveBlock, a_client_without_a_link_shows_the_reason_what_to_do_and_the_next_try) {
  LiveBlock block;
  auto status = example_client();
  status["links"] = nlohmann::json::array();
  status["phase"] = "waiting";
  status["next_attempt_seconds"] = 4.2;
  status["error"] = "no connection to the server could be made";
  status["advice"] = "is it up?";
  EXPECT_THAT(
      block.compose(status.dump(), 1000),
      ElementsAre("karst  not connected, next try in 4 s",
                  "  error    no connection to the server could be made", "  to do    is it up?",
                  "  proxy    127.0.0.1:1080, [::1]:1080, 2 connections"));
}

TEST(LiveBlock, each_step_towards_a_link_has_its_words) {
  LiveBlock block;
  auto status = example_client();
  status["links"] = nlohmann::json::array();
  status["address"] = "example.org:443";
  const auto first = [&](const char* phase, int attempts) {
    status["phase"] = phase;
    status["attempts"] = attempts;
    return block.compose(status.dump(), 1000).at(0);
  };
  EXPECT_EQ(first("connecting", 1), "karst  connecting to example.org:443");
  EXPECT_EQ(first("connecting", 3), "karst  connecting to example.org:443, attempt 3");
  EXPECT_EQ(first("securing", 1), "karst  connected to example.org:443; agreeing on keys");
  EXPECT_THAT(first("closing", 1), HasSubstr("ending"));
}

TEST(LiveBlock, a_client_that_ends_shows_what_is_still_open) {
  LiveBlock block;
  auto status = example_client();
  status["links"] = nlohmann::json::array();
  status["phase"] = "closing";
  status.erase("proxy");
  EXPECT_THAT(block.compose(status.dump(), 1000),
              ElementsAre("karst  ending once open connections have; Ctrl-C: at once",
                          "  open     2 proxy connections"));
}

TEST(LiveBlock, a_sender_with_nothing_waiting_is_not_said_to_be_limited) {
  LiveBlock block;
  auto status = example_client();
  for (const auto& recent :
       {nlohmann::json::object(), nlohmann::json::object({{"application", 1.0}})}) {
    status["links"][0]["limiter"]["recent"] = recent;
    EXPECT_EQ(block.compose(status.dump(), 1000).at(2),
              "  limiter  none here: nothing waits to be sent");
  }
}

TEST(LiveBlock, a_server_adds_its_clients_up) {
  LiveBlock block;
  auto status = example_server();
  status["links"].push_back(status["links"][0]);
  block.compose(status.dump(), 1000);
  for (auto& link : status["links"]) link["send"]["bytes"] = (3 << 20) + 125;
  EXPECT_THAT(block.compose(status.dump(), 1001),
              ElementsAre("karst server  up on 0.0.0.0:443",
                          "  clients  2 connected of 2 known, 3 TCP connections",
                          "  traffic  2.0 kbit/s to clients, 0 bit/s from clients",
                          "  alice    epoch 41 out, 7 in, limiter: congestion window 70 %",
                          "  alice    epoch 41 out, 7 in, limiter: congestion window 70 %"));
}

TEST(LiveBlock, a_server_with_many_clients_names_four_and_says_where_the_others_are) {
  LiveBlock block;
  auto status = example_server();
  for (int i = 0; i < 20; ++i) status["links"].push_back(status["links"][0]);
  const auto lines = block.compose(status.dump(), 1000);
  EXPECT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines.back(), "  and      17 more: karst status");
}

TEST(LiveBlock, a_server_that_drains_says_so) {
  LiveBlock block;
  auto status = example_server();
  status["ready"] = false;
  EXPECT_THAT(block.compose(status.dump(), 1000).at(0), HasSubstr("ending"));
}

TEST(LiveBlock, an_answer_that_cannot_be_read_gives_no_lines) {
  LiveBlock block;
  for (const char* text : {"", "{}", R"({"role":"client","links":[{}]})", R"({"links":{}})"}) {
    EXPECT_THAT(block.compose(text, 1000), IsEmpty()) << text;
  }
}

TEST(LiveBlock, it_fits_a_terminal_of_any_size) {
  LiveBlock block;
  const auto lines = block.compose(example_client().dump(), 1000);
  for (std::size_t columns = 0; columns <= 120; ++columns) {
    for (std::size_t rows = 0; rows <= 30; ++rows) {
      const std::string text = fit_lines(lines, rows, columns);
      const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
      EXPECT_EQ(rows_of(text, std::max<std::size_t>(columns, 1)), ends) << columns;
      EXPECT_LT(ends, std::max<std::size_t>(rows, 1));
    }
  }
}

TEST(LiveBlock, a_line_too_long_goes_on_below_its_text_and_without_spaces_is_cut) {
  EXPECT_EQ(fit_lines({"  error    one two three four five six"}, 24, 35),
            "  error    one two three four five\n"
            "           six\n");
  EXPECT_EQ(fit_lines({"abcdef", "", "ab"}, 24, 4), "abc\n\nab\n");
}

TEST(LiveBlock, lines_that_a_narrower_terminal_wraps_count_as_the_rows_they_take) {
  EXPECT_EQ(rows_of("", 10), 0u);
  EXPECT_EQ(rows_of("\n", 10), 1u);
  EXPECT_EQ(rows_of("0123456789\n", 10), 1u);
  EXPECT_EQ(rows_of("0123456789a\n", 10), 2u);
  EXPECT_EQ(rows_of("0123456789a\n\nx\n", 5), 5u);
}

}  // namespace
