#include "app/status_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/status_example_for_test.h"

using namespace karst::app;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

TEST(StatusText, a_client_that_is_up_says_where_how_long_and_what_limits_it) {
  EXPECT_EQ(render_status(example_client().dump()),
            "tunnel up to example.org:443 over HTTPS\n"
            "  proxy       127.0.0.1:1080, [::1]:1080 (SOCKS5 and HTTP), 2 connections\n"
            "  up          2 min 5 s, 1 stream open, RTT 12.3 ms, bbr\n"
            "  carried     3.0 MiB sent, 2.0 KiB received\n"
            "  on the wire 3.2 MiB (+6.5 %) sent, 50 KiB received\n"
            "  keys        epoch 41 out, 7 in; 8 prepared\n"
            "  exposed     at most 1.0 MiB if this process were seized now\n"
            "  sending     ratchet 25 %, congestion window 70 %\n"
            "  busiest     stream 9, 3.0 MiB out, 2.0 KiB in: nothing waiting 25 %, link 75 %\n"
            "  other end   mux credit 60 %, nothing waiting 40 %, cubic\n");
}

TEST(StatusText, a_client_that_waits_says_why_and_for_how_long) {
  auto status = example_client();
  status["phase"] = "waiting";
  status["enrolled"] = false;
  status["error"] = "the other side did not answer in time";
  status["advice"] = "wait";
  status["next_attempt_seconds"] = -0.5;
  status["proxy_connections"] = 0;
  status["links"] = nlohmann::json::array();
  EXPECT_EQ(render_status(status.dump()),
            "tunnel waiting\n"
            "  last error  the other side did not answer in time\n"
            "  to do       wait\n"
            "  next try    in 0 s\n"
            "  invite      not used yet; it is spent with the first connection\n"
            "  proxy       127.0.0.1:1080, [::1]:1080 (SOCKS5 and HTTP), 0 connections\n");
}

TEST(StatusText, a_client_without_a_proxy_is_told_that_nothing_uses_the_tunnel) {
  auto status = example_client();
  status.erase("proxy");
  EXPECT_THAT(render_status(status.dump()), HasSubstr("nothing uses the tunnel"));
}

TEST(StatusText, a_sender_with_nothing_waiting_is_not_said_to_be_limited) {
  auto status = example_client();
  status["links"][0]["limiter"]["recent"] = {{"application", 0.9}, {"cpu", 0.1}};
  EXPECT_THAT(render_status(status.dump()),
              HasSubstr("sending     nothing waiting 90 %, cpu 10 %"));
  status["links"][0]["limiter"]["recent"] = nlohmann::json::object();
  EXPECT_THAT(render_status(status.dump()), HasSubstr("sending     nothing to send\n"));
}

TEST(StatusText, a_server_lists_its_clients) {
  EXPECT_THAT(render_status(example_server().dump()),
              StartsWith("server running on 0.0.0.0:443\n"
                         "  node        karst1abc\n"
                         "  clients     2 known, 1 connected\n"
                         "alice from 192.0.2.7:50000\n"
                         "  up          2 min 5 s"));
}

TEST(StatusText, clocks_that_differ_by_more_than_90_seconds_are_shown_with_their_direction) {
  auto status = example_client();
  const auto shown = [&](std::int64_t offset) {
    status["links"][0]["clock_offset_seconds"] = offset;
    return render_status(status.dump());
  };
  for (const std::int64_t offset : {-90, 0, 90})
    EXPECT_THAT(shown(offset), Not(HasSubstr("clock")));
  EXPECT_THAT(shown(91), HasSubstr("this machine is 1 min 31 s ahead of the server"));
  EXPECT_THAT(shown(-315'360'000), HasSubstr("this machine is 10 years behind the server"));
}

TEST(StatusText, an_answer_of_another_version_gives_a_sentence_whatever_is_missing) {
  const auto unreadable = "the daemon's answer cannot be read";
  for (const char* text : {"", "{", "[]", "{}", R"({"role":"server"})", R"({"role":7})"}) {
    EXPECT_THAT(render_status(text), HasSubstr(unreadable)) << text;
  }
  for (const auto& example : {example_client(), example_server()}) {
    for (const auto& [key, value] : example.items()) {
      auto status = example;
      status.erase(key);
      EXPECT_FALSE(render_status(status.dump()).empty()) << key;
      status[key] = nlohmann::json::object({{"strange", true}});
      EXPECT_FALSE(render_status(status.dump()).empty()) << key;
    }
  }
}

}  // namespace
