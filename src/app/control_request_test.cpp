#include "app/control_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/lifetime.h"

using namespace karst;
using namespace karst::app;
using testing::HasSubstr;

namespace {

using Kind = ControlRequest::Kind;

TEST(ControlRequest, what_is_written_is_read_again) {
  const ControlRequest requests[] = {
      {Kind::status, "", 0, {}},
      {Kind::reload, "", 0, {}},
      {Kind::clients, "", 0, {}},
      {Kind::revoke, "alice", 0, {}},
      {Kind::invite, "bob", 1, {}},
      {Kind::invite, "b\"o\\b\n", kLifetimeSecondsMax, {"example.org:443", "[::1]:443"}},
  };
  for (const ControlRequest& request : requests) {
    const auto read = parse_request(format_request(request));
    ASSERT_TRUE(read.ok()) << format_request(request);
    EXPECT_EQ(*read, request);
  }
}

TEST(ControlRequest, a_lifetime_is_0_to_ten_years) {
  const auto accepted = [](const std::string& lifetime) {
    return parse_request(R"({"command":"invite","lifetime_seconds":)" + lifetime + "}").ok();
  };
  EXPECT_TRUE(accepted("0"));
  EXPECT_TRUE(accepted(std::to_string(kLifetimeSecondsMax - 1)));
  EXPECT_TRUE(accepted(std::to_string(kLifetimeSecondsMax)));
  EXPECT_FALSE(accepted(std::to_string(kLifetimeSecondsMax + 1)));
  for (const char* bad : {"-1", "1.0", "\"1\"", "18446744073709551615", "1e3", "null"}) {
    EXPECT_FALSE(accepted(bad)) << bad;
  }
}

TEST(ControlRequest, what_makes_no_sense_is_refused) {
  for (const char* text :
       {"", "{", "[]", "7", "{}", R"({"command":7})", R"({"command":"stop"})",
        R"({"command":"revoke","name":7})", R"({"command":"invite","addresses":"example.org:443"})",
        R"({"command":"invite","addresses":[7]})", "{\"command\":\"revoke\",\"name\":\"\xff\"}"}) {
    EXPECT_TRUE(parse_request(text).error().is(kBadControlRequest)) << text;
  }
}

TEST(ControlRequest, a_name_that_is_not_utf_8_does_not_throw) {
  EXPECT_TRUE(parse_request(format_request({Kind::revoke, "\xff", 0, {}})).ok());
  EXPECT_EQ(parse_answer(error_answer("no \xff")).error.substr(0, 3), "no ");
}

TEST(ControlAnswer, good_ones_carry_their_value_and_bad_ones_a_reason) {
  EXPECT_TRUE(parse_answer(ok_answer()).ok);
  const auto answer = invite_answer("karst://x");
  EXPECT_TRUE(parse_answer(answer.expose_text()).ok);
  const auto uri = parse_invite_answer(answer.expose_text());
  ASSERT_TRUE(uri);
  EXPECT_EQ(uri->expose_text(), "karst://x");
  const ControlAnswer bad = parse_answer(error_answer("there is no \"bob\""));
  EXPECT_FALSE(bad.ok);
  EXPECT_EQ(bad.error, "there is no \"bob\"");
}

TEST(ControlAnswer, what_is_no_invite_gives_none) {
  for (const char* text : {"", R"({"ok":true})", R"({"ok":true,"uri":")", R"({"ok":true,"uri":7})",
                           R"({"ok":true,"uri":"a","b":"c"})", R"({"error":"no"})"}) {
    EXPECT_FALSE(parse_invite_answer(text)) << text;
  }
}

TEST(ControlAnswer, what_is_neither_good_nor_an_error_is_said_to_be_unreadable) {
  for (const char* text : {"", "[]", "{}", R"({"ok":false})", R"({"ok":1})", R"({"ok":"true"})",
                           R"({"error":""})", R"({"error":7})"}) {
    const ControlAnswer answer = parse_answer(text);
    EXPECT_FALSE(answer.ok) << text;
    EXPECT_THAT(answer.error, HasSubstr("cannot be read")) << text;
  }
}

}  // namespace
