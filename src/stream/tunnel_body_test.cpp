#include "stream/tunnel_body.h"

#include <gtest/gtest.h>

#include "stream/websocket/decoder.h"

namespace karst::stream {
namespace {

using websocket::Opcode;
using websocket::Role;

struct Records final : RecordSource {
  std::size_t poll_record(MutableBytes space, TimePoint) override {
    if (sizes.empty()) return 0;
    const std::size_t size = sizes.front();
    sizes.pop_front();
    std::fill_n(space.begin(), size, std::uint8_t{0x77});
    return size;
  }
  std::deque<std::size_t> sizes;
};

struct Received {
  std::vector<std::pair<Opcode, ByteVector>> messages;
  bool ended = false;
};

// Pulls as HTTP/2 does, `max` bytes at a time.
Received pull(TunnelBody& body, Role role, std::size_t max) {
  Received out;
  websocket::Decoder decoder(role == Role::client ? Role::server : Role::client);
  for (;;) {
    const auto chunk = body.next(max);
    ByteVector bytes(chunk.bytes);
    if (!bytes.empty()) body.write(bytes);
    Bytes input = bytes;
    while (auto message = decoder.decode(input).value()) {
      out.messages.emplace_back(message->opcode, to_vector(message->payload));
    }
    out.ended = chunk.end;
    if (chunk.bytes == 0 || chunk.end) return out;
  }
}

class TunnelBodySplits : public testing::TestWithParam<std::size_t> {};

TEST_P(TunnelBodySplits, sends_handshake_messages_before_records_however_it_is_split) {
  for (Role role : {Role::client, Role::server}) {
    TunnelBody body(role, Prng(1));
    Records records;
    records.sizes = {RecordSource::kRecordBytesMax, 1, 200};
    body.set_source(&records);
    body.push(as_bytes("M3"));
    const auto got = pull(body, role, GetParam());
    ASSERT_EQ(got.messages.size(), 4u);
    EXPECT_EQ(as_text(got.messages[0].second), "M3");
    EXPECT_EQ(got.messages[1].second, ByteVector(RecordSource::kRecordBytesMax, 0x77));
    EXPECT_EQ(got.messages[3].second.size(), 200u);
    EXPECT_FALSE(got.ended);
  }
}
INSTANTIATE_TEST_SUITE_P(sizes, TunnelBodySplits, testing::Values(1, 7, 16'374, 16'375));

TEST(TunnelBody, a_full_record_makes_exactly_one_full_data_frame_from_a_client) {
  TunnelBody body(Role::client, Prng(1));
  Records records;
  records.sizes = {RecordSource::kRecordBytesMax};
  body.set_source(&records);
  EXPECT_EQ(body.next(100'000).bytes, 16'375u);
}

TEST(TunnelBody, close_stops_records_sends_one_close_frame_and_ends_the_stream) {
  TunnelBody body(Role::server, Prng(1));
  Records records;
  records.sizes = {10, 10};
  body.set_source(&records);
  body.push(as_bytes("last"));
  body.close(websocket::kClosePolicy);
  body.close(websocket::kCloseNormal);
  const auto got = pull(body, Role::server, 1000);
  ASSERT_EQ(got.messages.size(), 2u);
  EXPECT_EQ(got.messages[1].first, Opcode::close);
  EXPECT_TRUE(got.ended);
}

TEST(TunnelBody, only_the_latest_ping_is_answered_and_before_everything_else) {
  TunnelBody body(Role::server, Prng(1));
  body.push(as_bytes("data"));
  body.pong(as_bytes("one"));
  body.pong(as_bytes("two"));
  const auto got = pull(body, Role::server, 1000);
  ASSERT_EQ(got.messages.size(), 2u);
  EXPECT_EQ(got.messages[0].first, Opcode::pong);
  EXPECT_EQ(as_text(got.messages[0].second), "two");
}

}  // namespace
}  // namespace karst::stream
