// What a peer can do against docs/protocol/mux.md, and the name that it gets.
#include <gtest/gtest.h>

#include "stream/mux/error.h"
#include "stream/mux/mux.h"
#include "stream/mux/test_pair.h"
#include "wire/report.h"

namespace karst::stream::mux {
namespace {

using wire::FrameType;

struct Row {
  Frames frames;
  std::string_view verdict;
};

TEST(MuxRules, a_client_that_breaks_one_ends_the_link_by_its_name) {
  constexpr std::uint64_t kWindow = wire::kStreamWindowInitial;
  const Row rows[] = {
      {Frames().open(1).open(2).open(3), "ok"},
      {Frames().open(1).open(1), kStreamReused.name},
      {Frames().open(2), kStreamOutOfOrder.name},
      {Frames().open(1).open(3), kStreamOutOfOrder.name},
      {Frames().result(1), kStreamUnknown.name},
      {Frames().open(1).result(1), kResultFromClient.name},
      {Frames().data(1, "x"), kStreamUnknown.name},
      {Frames().reset(1), kStreamUnknown.name},
      {Frames().credit(1, 0, 1), kStreamUnknown.name},
      {Frames().open(1).data(1, ""), kEmptyData.name},
      {Frames().open(1).data(1, "x").fin(1, 1), "ok"},
      {Frames().open(1).data(1, "x").fin(1, 0), kFinalWrong.name},
      {Frames().open(1).data(1, "x").fin(1, 2), kFinalWrong.name},
      {Frames().open(1).fin(1, 0).data(1, "x"), kAfterFin.name},
      {Frames().open(1).fin(1, 0).fin(1, 0), kAfterFin.name},
      {Frames().open(1).reset(1).data(1, "x"), kStreamClosed.name},
      {Frames().open(1).reset(1).fin(1, 0), kStreamClosed.name},
      {Frames().open(1).reset(1).credit(1, 0, 1), "ok"},
      {Frames().open(1).reset(1).reset(1), kResetFlood.name},
      {Frames().open(1).reset(1).open(1), kStreamReused.name},
      {Frames().open(1).credit(1, 0, kWindow), kCreditBackwards.name},
      {Frames().open(1).credit(1, 0, kWindow - 1), kCreditBackwards.name},
      {Frames().open(1).credit(1, 0, kWindow + 1), "ok"},
      {Frames().open(1).credit(1, 0, kWindow + 1).credit(1, 0, kWindow + 1), kCreditBackwards.name},
      {Frames().open(1).credit(1, 1, kWindow + 1), kCreditBeyondSent.name},
      {Frames().open(1).credit(1, 0, wire::kOffsetMax), "ok"},
      {Frames().open(1).frame(FrameType::credit, 1, ByteVector(15)), "credit-malformed"},
      {Frames().link_credit(wire::kLinkWindowInitial), kCreditBackwards.name},
      {Frames().link_credit(wire::kLinkWindowInitial + 1), "ok"},
      {Frames().frame(FrameType::credit, 0, ByteVector(16)), "credit-malformed"},
      {Frames().open(1, {}).datagram(1, "x").datagram(1, ""), "ok"},
      {Frames().open(1, {}).data(1, "x"), kWrongKind.name},
      {Frames().open(1, {}).credit(1, 0, kWindow + 1), kWrongKind.name},
      {Frames().open(1).datagram(1, "x"), kWrongKind.name},
      {Frames().open(1, {}).fin(1, 0).datagram(1, "x"), kAfterFin.name},
      {Frames().open(1, {}).frame(FrameType::packet, 1), "datagram-malformed"},
      {Frames().frame(FrameType::packet, 0, as_bytes("x")), "ok"},
      {Frames().frame(FrameType::packet, 0), kEmptyPacket.name},
      {Frames().pong(0), kPongUnexpected.name},
      {Frames().goaway().goaway(), kGoAwayTwice.name},
      {Frames().frame(FrameType::offer, 0), kRatchetFrame.name},
      {Frames().frame(FrameType::ack, 0), kRatchetFrame.name},
      {Frames().frame(FrameType::resume, 0), "frame-type-unknown"},
      {Frames().frame(FrameType::open, 1), "open-malformed"},
      {Frames().open(1).frame(FrameType::fin, 1), "fin-malformed"},
      {Frames().open(1).frame(FrameType::reset, 1), "reset-malformed"},
      {Frames().frame(FrameType::ping, 0), "ping-malformed"},
      {Frames().frame(FrameType::report, 0), "report-malformed"},
      {Frames().frame(FrameType::goaway, 0), "goaway-malformed"},
      {Frames(), "record-empty"},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    Alone server(Role::server);
    EXPECT_EQ(server.verdict(rows[i].frames), rows[i].verdict) << "row " << i;
  }
}

TEST(MuxRules, a_server_that_breaks_one_ends_the_link_by_its_name) {
  const Row rows[] = {
      {Frames().result(1).data(1, "x"), "ok"},
      {Frames().open(1), kOpenFromServer.name},
      {Frames().open(4), kOpenFromServer.name},
      {Frames().result(1).result(1), kResultUnexpected.name},
      {Frames().result(4), kStreamUnknown.name},
      {Frames().data(1, "x"), kBeforeResult.name},
      {Frames().fin(1, 0), kBeforeResult.name},
      {Frames().datagram(3, "x"), kBeforeResult.name},
      {Frames().credit(1, 0, 2 << 20), "ok"},
      {Frames().credit(1, 1, 2 << 20), "ok"},
      {Frames().credit(1, 6, 2 << 20), kCreditBeyondSent.name},
      {Frames().reset(1).result(1), kStreamClosed.name},
      {Frames().result(1, wire::OpenCode::refused).data(1, "x"), kStreamClosed.name},
      {Frames().result(1, wire::OpenCode::refused).result(1), kStreamClosed.name},
      {Frames().result(1, wire::OpenCode::refused).reset(1).credit(1, 0, 1), "ok"},
      {Frames().result(3).datagram(3, "x"), "ok"},
      // Reset by the client before it was answered, and the client waits for the server's end.
      {Frames().result(2), "ok"},
      {Frames().result(2).data(2, "x").fin(2, 1), "ok"},
      {Frames().result(2).fin(2, 0).data(2, "x"), kStreamClosed.name},
      {Frames().result(2, wire::OpenCode::refused).data(2, "x"), kStreamClosed.name},
      {Frames().data(2, "x"), kBeforeResult.name},
      {Frames().result(2).data(2, std::size_t{16'000}), "ok"},
  };
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    Alone client(Role::client);
    ASSERT_EQ(*client.mux.open(tcp()), id(1));
    ASSERT_EQ(*client.mux.open(tcp()), id(2));
    ASSERT_EQ(*client.mux.open({}), id(3));
    client.mux.send(id(1), as_bytes("five!"));
    client.mux.reset(id(2), wire::ResetReason::cancelled);
    EXPECT_EQ(client.said(), "OPEN 1, OPEN 2, RESET 2, OPEN 3, DATA 1");
    EXPECT_EQ(client.verdict(rows[i].frames), rows[i].verdict) << "row " << i;
  }
}

TEST(MuxRules, a_pong_must_carry_the_token_of_the_ping) {
  for (const std::uint64_t token : {0u, 1u, 2u}) {
    Alone client(Role::client);
    client.mux.ping();
    EXPECT_EQ(client.said(), "PING");
    EXPECT_EQ(client.verdict(Frames().pong(token)), token == 1 ? "ok" : kPongUnexpected.name);
  }
}

TEST(MuxRules, a_stream_may_fill_its_credit_and_not_one_byte_more) {
  constexpr std::size_t kLimit = wire::kStreamWindowInitial;
  for (const std::size_t total : {kLimit - 1, kLimit, kLimit + 1}) {
    Alone server(Role::server);
    ASSERT_TRUE(server.handle(Frames().open(1)).ok());
    std::size_t sent = 0;
    for (; total - sent > 16'000; sent += 16'000) {
      ASSERT_TRUE(server.handle(Frames().data(1, std::size_t{16'000})).ok());
    }
    EXPECT_EQ(server.verdict(Frames().data(1, total - sent)),
              total > kLimit ? kBeyondStreamCredit.name : "ok");
  }
}

TEST(MuxRules, a_link_may_fill_its_credit_beyond_the_private_bytes_and_not_one_byte_more) {
  // Four full streams and 128 KiB more of a fifth: 4 x (1 MiB - 32 KiB) + 128 KiB = 4 MiB.
  constexpr std::size_t kFifth = 32 * 1024 + 128 * 1024;
  for (const std::size_t last : {kFifth - 1, kFifth, kFifth + 1}) {
    Alone server(Role::server);
    ASSERT_TRUE(server.handle(Frames().open(1).open(2).open(3).open(4).open(5)).ok());
    const auto fill = [&](std::uint32_t stream, std::size_t bytes) {
      for (; bytes > 16'384 - 128; bytes -= 16'384 - 128) {
        EXPECT_TRUE(server.handle(Frames().data(stream, std::size_t{16'384 - 128})).ok());
      }
      return server.verdict(Frames().data(stream, bytes));
    };
    for (std::uint32_t stream = 1; stream <= 4; ++stream) {
      ASSERT_EQ(fill(stream, wire::kStreamWindowInitial), "ok");
    }
    EXPECT_EQ(fill(5, last), last > kFifth ? kBeyondLinkCredit.name : "ok");
  }
}

}  // namespace
}  // namespace karst::stream::mux
