#include "app/log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

using namespace karst;
using namespace karst::app;

namespace {

constexpr TraceKind kInfo{TraceLevel::info, "link-up", "the tunnel is up"};
constexpr TraceKind kDebug{TraceLevel::debug, "detail", "only for those who look for it"};
constexpr TraceKind kWarning{TraceLevel::warning, "link-down", "the tunnel is down"};

// A log whose lines are kept.
struct Kept {
  explicit Kept(const LogSettings& settings) : log(settings) {
    log.set_line_hook([this](std::string_view line) { lines.emplace_back(line); });
  }
  Log log;
  std::vector<std::string> lines;
};

TEST(Log, a_text_line_has_time_level_event_and_fields) {
  Kept kept({});
  kept.log(kWarning, {{"server", "example.org:443"}});
  ASSERT_EQ(kept.lines.size(), 1u);
  EXPECT_EQ(kept.lines[0].substr(19),
            " warning link-down: the tunnel is down [server=example.org:443]\n");
}

TEST(Log, events_below_the_level_are_not_written_and_take_no_budget) {
  Kept kept({TraceLevel::info, LogFormat::text});
  for (int i = 0; i < 100; ++i) kept.log(kDebug);
  EXPECT_TRUE(kept.lines.empty());
  kept.log.configure({TraceLevel::debug, LogFormat::text});
  kept.log(kDebug);
  EXPECT_EQ(kept.lines.size(), 1u);
}

TEST(Log, a_flood_of_one_kind_is_cut_and_the_others_go_on) {
  Kept kept({});
  for (int i = 0; i < 100; ++i) kept.log(kWarning);
  EXPECT_EQ(kept.lines.size(), 20u);
  kept.log(kInfo);
  EXPECT_EQ(kept.lines.size(), 21u);
}

TEST(Log, json_lines_are_objects_also_after_a_change_of_settings) {
  Kept kept({});
  kept.log.configure({TraceLevel::info, LogFormat::json});
  kept.log(kInfo, {{"braces", "{} %v"}});
  ASSERT_EQ(kept.lines.size(), 1u);
  const auto json = nlohmann::json::parse(kept.lines[0]);
  EXPECT_EQ(json["event"], "link-up");
  EXPECT_EQ(json["braces"], "{} %v");
}

}  // namespace
