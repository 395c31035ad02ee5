#include "stream/cover/live_socket.h"

#include <gtest/gtest.h>

namespace karst::stream::cover {
namespace {

using Kind = LiveSocket::Message::Kind;

class LiveSocketTest : public testing::Test {
 protected:
  void pass(Duration time) {
    moment_.now += time;
    moment_.wall.seconds += std::chrono::duration_cast<std::chrono::seconds>(time).count();
  }
  // What the socket says, as words.
  std::string said(LiveSocket& socket) {
    std::string all;
    while (const auto message = socket.poll_message()) {
      if (message->kind == Kind::text) all += message->text + ";";
      if (message->kind == Kind::ping) all += "PING;";
      if (message->kind == Kind::close) all += "CLOSE " + std::to_string(message->close_code) + ";";
    }
    return all;
  }
  // Runs into the next deadline and says what came of it.
  std::string next(LiveSocket& socket) {
    const auto due = socket.next_deadline();
    if (!due) return "nothing";
    pass(*due - moment_.now);
    socket.handle_deadline(moment_);
    return said(socket);
  }

  Moment moment_{TimePoint(1000s), {5000}};
  LiveRoom room_;
};

TEST_F(LiveSocketTest, tells_a_newcomer_the_time_and_how_many_are_here) {
  LiveSocket first(room_, moment_);
  EXPECT_EQ(said(first), "{\"time\":5000,\"visitors\":1};");
  {
    LiveSocket second(room_, moment_);
    EXPECT_EQ(said(second), "{\"time\":5000,\"visitors\":2};");
    EXPECT_EQ(next(first), "{\"time\":5010,\"visitors\":2};");
  }
  EXPECT_EQ(next(first), "{\"time\":5020,\"visitors\":1};");
}

TEST_F(LiveSocketTest, gives_a_word_back) {
  LiveSocket socket(room_, moment_);
  said(socket);
  socket.on_text("ping 12345", moment_);
  EXPECT_EQ(said(socket), "pong 12345;");
}

TEST_F(LiveSocketTest, ends_with_a_code_when_it_hears_what_it_does_not_know) {
  const std::string longest(64, 'w');
  EXPECT_EQ(room_.visitors(), 0u);
  for (const std::string& text :
       {std::string("ping "), std::string("ping a b"), std::string(), std::string("pong 1"),
        std::string("ping <b>"), std::string("ping \xC3\xA9"), "ping w" + longest}) {
    LiveSocket socket(room_, moment_);
    said(socket);
    socket.on_text(text, moment_);
    EXPECT_EQ(said(socket), "CLOSE 1008;") << text;
  }
  LiveSocket socket(room_, moment_);
  said(socket);
  socket.on_text("ping " + longest, moment_);
  EXPECT_EQ(said(socket), "pong " + longest + ";");
  socket.on_binary(moment_);
  EXPECT_EQ(said(socket), "CLOSE 1003;");
}

TEST_F(LiveSocketTest, is_silent_and_uncounted_after_its_close) {
  LiveSocket socket(room_, moment_);
  said(socket);
  socket.on_binary(moment_);
  socket.on_binary(moment_);
  socket.on_text("ping 1", moment_);
  EXPECT_EQ(said(socket), "CLOSE 1003;");
  EXPECT_EQ(socket.next_deadline(), std::nullopt);
  EXPECT_EQ(room_.visitors(), 0u);
}

TEST_F(LiveSocketTest, bears_exactly_so_many_messages_in_a_second) {
  LiveSocket socket(room_, moment_);
  said(socket);
  for (int second = 0; second < 2; ++second) {
    for (std::size_t i = 0; i < kLiveMessagesPerSecondMax; ++i) socket.on_text("ping 1", moment_);
    EXPECT_EQ(said(socket).find("CLOSE"), std::string::npos);
    pass(1s);
  }
  for (std::size_t i = 0; i < kLiveMessagesPerSecondMax + 1; ++i) socket.on_text("ping 1", moment_);
  EXPECT_NE(said(socket).find("CLOSE 1008;"), std::string::npos);
}

TEST_F(LiveSocketTest, asks_the_silent_for_a_sign_of_life_and_ends_without_one) {
  LiveSocket socket(room_, moment_);
  said(socket);
  EXPECT_EQ(next(socket), "{\"time\":5010,\"visitors\":1};");
  EXPECT_EQ(next(socket), "{\"time\":5020,\"visitors\":1};");
  EXPECT_EQ(next(socket), "PING;{\"time\":5030,\"visitors\":1};");
  socket.on_pong(moment_);
  std::string heard;
  while (heard.find("CLOSE") == std::string::npos && moment_.wall.seconds < 6000) {
    heard += next(socket);
  }
  EXPECT_EQ(moment_.wall.seconds, 5030 + 75);
  EXPECT_NE(heard.find("PING;"), std::string::npos);
  EXPECT_TRUE(heard.ends_with("CLOSE 1001;")) << heard;
}

TEST_F(LiveSocketTest, a_deadline_that_is_due_moves_on_when_it_is_handled) {
  LiveSocket socket(room_, moment_);
  for (int i = 0; i < 100 && socket.next_deadline(); ++i) {
    const TimePoint due = *socket.next_deadline();
    pass(due - moment_.now);
    socket.handle_deadline(moment_);
    EXPECT_GT(socket.next_deadline().value_or(TimePoint::max()), due);
    said(socket);
  }
  EXPECT_EQ(socket.next_deadline(), std::nullopt);
}

}  // namespace
}  // namespace karst::stream::cover
