#include "app/log_line.h"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

using namespace karst;
using namespace karst::app;

namespace {

constexpr TraceKind kUp{TraceLevel::info, "link-up", "the tunnel is up"};

std::string text_of(std::string_view value) {
  return format_log_text(kUp, std::array{TraceField{"server", value}});
}

TEST(LogLine, the_text_form_has_event_sentence_and_fields) {
  EXPECT_EQ(format_log_text(kUp, {}), "link-up: the tunnel is up");
  EXPECT_EQ(format_log_text(kUp, std::array{TraceField{"server", "example.org:443"},
                                            TraceField{"retry_ms", std::int64_t{-5}}}),
            "link-up: the tunnel is up [server=example.org:443 retry_ms=-5]");
}

TEST(LogLine, text_that_could_be_taken_for_punctuation_is_quoted) {
  EXPECT_EQ(text_of(""), "link-up: the tunnel is up [server=\"\"]");
  EXPECT_EQ(text_of("a b"), "link-up: the tunnel is up [server=\"a b\"]");
  EXPECT_EQ(text_of("a reason=b"), "link-up: the tunnel is up [server=\"a reason=b\"]");
  EXPECT_EQ(text_of("a]"), "link-up: the tunnel is up [server=\"a]\"]");
  EXPECT_EQ(text_of("a\" reason=\"b\\"),
            "link-up: the tunnel is up [server=\"a\\\" reason=\\\"b\\\\\"]");
}

TEST(LogLine, no_byte_of_a_field_breaks_the_line_or_moves_the_cursor) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string_view value(&c, 1);
    const std::string json = format_log_json(kUp, std::array{TraceField{"server", value}}, {});
    for (const std::string& line : {text_of(value), json}) {
      for (const char out : line) EXPECT_TRUE(out >= 0x20 && out < 0x7f) << byte;
    }
  }
}

TEST(LogLine, the_json_form_is_one_object_with_numbers_as_numbers) {
  const std::string line = format_log_json(
      kUp, std::array{TraceField{"server", "a\"b"}, TraceField{"retry_ms", std::int64_t{7}}}, {15});
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json, (nlohmann::json{{"time", 15},
                                  {"level", "info"},
                                  {"event", "link-up"},
                                  {"text", "the tunnel is up"},
                                  {"server", "a\"b"},
                                  {"retry_ms", 7}}));
}

}  // namespace
