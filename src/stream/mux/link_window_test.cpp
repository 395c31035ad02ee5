#include "stream/mux/link_window.h"

#include <gtest/gtest.h>

namespace karst::stream::mux {
namespace {

constexpr std::uint64_t kPrivate = wire::kStreamPrivateBytes;

TEST(LinkWindow, counts_only_what_a_stream_has_beyond_its_private_bytes) {
  LinkWindow window(1000);
  std::uint64_t outstanding = 0;
  for (const auto& [next, used] : {std::pair<std::uint64_t, std::uint64_t>{kPrivate - 1, 0},
                                   {kPrivate, 0},
                                   {kPrivate + 1, 1},
                                   {kPrivate + 900, 900},
                                   {10, 0},
                                   {kPrivate + 5, 5}}) {
    window.change(outstanding, next);
    outstanding = next;
    EXPECT_EQ(window.used(), used);
  }
}

TEST(LinkWindow, is_exceeded_only_above_its_size) {
  for (const std::uint64_t extra : {999u, 1000u, 1001u}) {
    LinkWindow window(1000);
    window.change(0, kPrivate + extra);
    EXPECT_EQ(window.exceeded(), extra > 1000) << extra;
  }
}

TEST(LinkWindow, leaves_every_stream_its_private_room_when_it_is_full) {
  LinkWindow window(1000);
  EXPECT_EQ(window.room(0), kPrivate + 1000);
  window.change(0, kPrivate + 1000);
  EXPECT_EQ(window.room(kPrivate + 1000), 0u);
  EXPECT_EQ(window.room(0), kPrivate);
  EXPECT_EQ(window.room(kPrivate - 1), 1u);
  window.grow(1500);
  EXPECT_EQ(window.room(kPrivate + 1000), 500u);
  window.grow(1200);
  EXPECT_EQ(window.size(), 1500u);
}

TEST(LinkWindow, streams_that_stall_one_after_another_leave_a_quarter_each_time) {
  constexpr std::uint64_t kLink = 128 << 20;
  std::uint64_t stalled = 0;
  for (const std::uint64_t left : {32u, 8u, 2u}) {
    stalled += stream_window_cap(kLink, stalled);
    EXPECT_EQ(kLink - stalled, std::uint64_t{left} << 20);
  }
  EXPECT_EQ(stream_window_cap(kLink, kLink), 0u);
  EXPECT_EQ(stream_window_cap(kLink, kLink + 1), 0u);
}

}  // namespace
}  // namespace karst::stream::mux
