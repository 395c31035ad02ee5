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
  EXPECT_THAT(block.compose(status.dump(), 1002),
              ElementsAre("karst  up to example.org:443 for 2 min 5 s",
                          "  up 1.0 Mbit/s, down 10 kbit/s, 1 stream, limited by "
                          "congestion-window 70 %",
                          "  epoch 41 out, 7 in"));
}

TEST(LiveBlock, the_first_answer_has_no_rate) {
  LiveBlock block;
  EXPECT_THAT(block.compose(example_client().dump(), 1000).at(1),
              HasSubstr("up 0 bit/s, down 0 bit/s"));
}

TEST(LiveBlock, counters_that_begin_anew_give_no_negative_rate) {
  LiveBlock block;
  auto status = example_client();
  block.compose(status.dump(), 1000);
  status["links"][0]["send"]["bytes"] = 0;
  status["links"][0]["receive"]["bytes"] = 0;
  EXPECT_THAT(block.compose(status.dump(), 1001).at(1), HasSubstr("up 0 bit/s, down 0 bit/s"));
}

TEST(LiveBlock, a_client_without_a_link_shows_the_reason_and_the_next_try) {
  LiveBlock block;
  auto status = example_client();
  status["links"] = nlohmann::json::array();
  status["phase"] = "waiting";
  status["next_attempt_seconds"] = 4.2;
  status["error"] = "the other side refused the connection";
  EXPECT_THAT(
      block.compose(status.dump(), 1000),
      ElementsAre("karst  waiting, next try in 4 s", "  the other side refused the connection"));
}

TEST(LiveBlock, a_server_adds_its_clients_up) {
  LiveBlock block;
  auto status = example_server();
  status["links"].push_back(status["links"][0]);
  block.compose(status.dump(), 1000);
  for (auto& link : status["links"]) link["send"]["bytes"] = (3 << 20) + 125;
  EXPECT_THAT(block.compose(status.dump(), 1001),
              ElementsAre("karst server  2 clients connected, 3 TCP connections",
                          "  to clients 2.0 kbit/s, from clients 0 bit/s"));
}

TEST(LiveBlock, an_answer_that_cannot_be_read_gives_no_lines) {
  LiveBlock block;
  for (const char* text : {"", "{}", R"({"role":"client","links":[{}]})", R"({"links":{}})"}) {
    EXPECT_THAT(block.compose(text, 1000), IsEmpty()) << text;
  }
}

TEST(LiveBlock, every_line_fits_a_terminal_of_any_width) {
  LiveBlock block;
  const auto lines = block.compose(example_client().dump(), 1000);
  for (std::size_t columns = 0; columns <= 120; ++columns) {
    const std::string text = fit_lines(lines, columns);
    EXPECT_EQ(std::ranges::count(text, '\n'), static_cast<std::ptrdiff_t>(lines.size()));
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
      EXPECT_LT(text.find('\n', begin) - begin, std::max<std::size_t>(columns, 1)) << columns;
    }
  }
  EXPECT_EQ(fit_lines({"abcdef", "", "ab"}, 4), "abc\n\nab\n");
}

}  // namespace
