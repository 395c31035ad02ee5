#include "stream/cover/live_exchange.h"

#include <gtest/gtest.h>

namespace karst::stream::cover {
namespace {

using websocket::Opcode;
using Ending = Exchange::Ending;

class LiveExchangeTest : public testing::Test {
 protected:
  LiveExchangeTest() {
    const auto response = exchange_.poll_response(moment_);
    EXPECT_TRUE(response && response->is_socket);
    heard();
  }
  static std::string frame(Opcode opcode, std::string_view payload) {
    websocket::Encoder client(websocket::Role::client, Prng(7));
    ByteVector bytes(client.frame_bytes(payload.size()));
    client.encode(opcode, as_bytes(payload), bytes);
    return std::string(as_text(bytes));
  }
  static std::string close_frame(std::uint16_t code) {
    const char payload[2] = {static_cast<char>(code >> 8), static_cast<char>(code & 255)};
    return frame(Opcode::close, {payload, 2});
  }
  void say(std::string_view bytes) { exchange_.input(as_bytes(bytes), moment_); }
  // The frames that came back, as words.
  std::string heard() {
    std::string all;
    while (!exchange_.output().empty()) {
      const ByteVector bytes = to_vector(exchange_.output());
      exchange_.consume(bytes.size(), moment_);
      Bytes rest = bytes;
      while (const auto message = client_.decode(rest)) {
        if (!*message) break;
        all += word(**message) + ";";
      }
    }
    return all;
  }
  static std::string word(const websocket::Message& message) {
    switch (message.opcode) {
      case Opcode::close:
        return "CLOSE " + std::to_string(message.close_code);
      case Opcode::ping:
        return "PING";
      case Opcode::pong:
        return "PONG " + std::string(as_text(message.payload));
      default:
        return std::string(as_text(message.payload));
    }
  }

  Moment moment_{TimePoint(1000s), {5000}};
  LiveRoom room_;
  LiveExchange exchange_{room_, moment_};
  websocket::Decoder client_{websocket::Role::client};
};

TEST_F(LiveExchangeTest, frames_may_be_cut_anywhere) {
  const std::string frames = frame(Opcode::text, "ping a") + frame(Opcode::text, "ping b");
  for (char c : frames) say({&c, 1});
  EXPECT_EQ(heard(), "pong a;pong b;");
}

TEST_F(LiveExchangeTest, a_ping_is_answered_with_its_payload) {
  say(frame(Opcode::ping, "xyz"));
  EXPECT_EQ(heard(), "PONG xyz;");
}

TEST_F(LiveExchangeTest, a_close_is_answered_in_kind_and_is_the_end) {
  say(close_frame(1000));
  EXPECT_EQ(exchange_.ending(), Ending::complete);
  EXPECT_EQ(heard(), "CLOSE 1000;");
  say(frame(Opcode::text, "ping a"));
  EXPECT_EQ(heard(), "");
}

TEST_F(LiveExchangeTest, an_unknown_message_is_closed_upon_and_the_others_half_is_awaited) {
  say(frame(Opcode::binary, std::string(4000, 'm')));
  EXPECT_EQ(heard(), "CLOSE 1003;");
  EXPECT_EQ(exchange_.ending(), Ending::open);
  say(frame(Opcode::ping, "late") + close_frame(1003));
  EXPECT_TRUE(exchange_.output().empty());
  EXPECT_EQ(exchange_.ending(), Ending::complete);
}

TEST_F(LiveExchangeTest, the_others_half_is_not_awaited_for_ever) {
  say(frame(Opcode::binary, "m"));
  heard();
  ASSERT_EQ(exchange_.next_deadline(), moment_.now + kLiveCloseTimeout);
  moment_.now += kLiveCloseTimeout;
  exchange_.handle_deadline(moment_);
  EXPECT_EQ(exchange_.ending(), Ending::complete);
}

TEST_F(LiveExchangeTest, whoever_does_not_even_read_the_close_is_broken_off) {
  say(frame(Opcode::binary, "m"));
  moment_.now += kLiveCloseTimeout;
  exchange_.handle_deadline(moment_);
  EXPECT_EQ(exchange_.ending(), Ending::broken);
}

TEST_F(LiveExchangeTest, a_message_at_the_limit_is_heard_and_one_above_is_too_big) {
  say(frame(Opcode::binary, std::string(kLiveMessageBytesMax, 'm')));
  EXPECT_EQ(heard(), "CLOSE 1003;");
  LiveExchange other(room_, moment_);
  other.poll_response(moment_);
  other.input(as_bytes(frame(Opcode::binary, std::string(kLiveMessageBytesMax + 1, 'm'))), moment_);
  const Bytes output = other.output();
  // 88 02 03 f1: a close of 1009, behind the news.
  EXPECT_EQ(as_text(output.last(4)), "\x88\x02\x03\xf1");
  EXPECT_EQ(other.ending(), Ending::complete);
}

TEST_F(LiveExchangeTest, what_is_no_frame_is_closed_upon_as_a_protocol_error) {
  say("\x81\x05hello");  // not masked
  EXPECT_EQ(heard(), "CLOSE 1002;");
  EXPECT_EQ(exchange_.ending(), Ending::complete);
}

TEST_F(LiveExchangeTest, whoever_does_not_read_is_not_heard_and_held_for) {
  const std::string ping = frame(Opcode::ping, std::string(125, 'p'));
  std::size_t pings = 0;
  for (; exchange_.input_room() > 0 && pings < 100'000; ++pings) say(ping);
  EXPECT_LT(pings * 127, kLiveOutputBytesMax + 256);
  // News are not piled up either.
  for (int i = 0; i < 2; ++i) {
    moment_.now = *exchange_.next_deadline();
    exchange_.handle_deadline(moment_);
  }
  EXPECT_EQ(heard().find("visitors"), std::string::npos);
  EXPECT_GT(exchange_.input_room(), 0u);
}

}  // namespace
}  // namespace karst::stream::cover
