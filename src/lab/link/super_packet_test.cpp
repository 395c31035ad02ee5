#include "lab/link/super_packet.h"

#include <gtest/gtest.h>

#include "lab/link/packets_for_test.h"

namespace karst::lab {
namespace {

constexpr std::size_t kNetwork4 = 20;

TEST(SuperPacket, counts_the_segments_that_a_wire_would_see) {
  const SuperPacket packet = parse_packet({.payload = 3000, .segment_bytes = 1448});
  ASSERT_EQ(packet.segments(), 3u);
  EXPECT_EQ(packet.wire_bytes(0), 1488u);
  EXPECT_EQ(packet.wire_bytes(1), 1488u);
  EXPECT_EQ(packet.wire_bytes(2), 40u + 104);
}

TEST(SuperPacket, a_plain_packet_is_one_segment) {
  const SuperPacket packet = parse_packet({.payload = 100});
  EXPECT_EQ(packet.segments(), 1u);
  EXPECT_EQ(packet.wire_bytes(0), 140u);
}

TEST(SuperPacket, a_cut_has_the_sequence_number_and_bytes_of_its_segments) {
  const SuperPacket packet =
      parse_packet({.payload = 5000, .segment_bytes = 1000, .sequence = 0xffffff00});
  const SuperPacket cut = packet.cut(2, 2);
  EXPECT_EQ(cut.segments(), 2u);
  ASSERT_EQ(cut.ip().size(), 40u + 2000);
  EXPECT_EQ(load(cut.ip(), 2, 2), 2040u);
  EXPECT_EQ(load(cut.ip(), 4, 2), 79u);
  EXPECT_EQ(load(cut.ip(), kNetwork4 + 4, 4), 1744u);
  EXPECT_TRUE(equal(cut.ip().subspan(40), packet.ip().subspan(40 + 2000, 2000)));
  EXPECT_EQ(internet_checksum(cut.ip().first(kNetwork4)), 0);
}

TEST(SuperPacket, the_pseudo_header_of_a_cut_covers_its_own_length) {
  for (const bool v6 : {false, true}) {
    for (const bool tcp : {false, true}) {
      const SuperPacket packet =
          parse_packet({.v6 = v6, .tcp = tcp, .payload = 5000, .segment_bytes = 1000});
      const SuperPacket cut = packet.cut(1, 3);
      const std::size_t network = v6 ? 40 : 20;
      const std::size_t length = cut.ip().size() - network;
      EXPECT_EQ(load(cut.ip(), network + (tcp ? 16 : 6), 2),
                pseudo_header_sum(cut.ip(), tcp ? 6 : 17, length));
      if (!tcp) {
        EXPECT_EQ(load(cut.ip(), network + 4, 2), length);
      }
      if (v6) {
        EXPECT_EQ(load(cut.ip(), 4, 2), length);
      }
    }
  }
}

TEST(SuperPacket, only_the_last_piece_ends_or_pushes_and_only_the_first_says_cwr) {
  const SuperPacket packet =
      parse_packet({.payload = 3000, .segment_bytes = 1000, .flags = 0x10 | 0x08 | 0x01 | 0x80});
  const auto flags = [&](std::size_t first, std::size_t count) {
    return packet.cut(first, count).ip()[kNetwork4 + 13];
  };
  EXPECT_EQ(flags(0, 1), 0x90);
  EXPECT_EQ(flags(1, 1), 0x10);
  EXPECT_EQ(flags(1, 2), 0x19);
  EXPECT_EQ(flags(0, 3), 0x99);
}

TEST(SuperPacket, a_single_segment_is_no_super_packet_any_more) {
  const SuperPacket cut = parse_packet({.payload = 3000, .segment_bytes = 1000}).cut(0, 1);
  const VnetHeader header = VnetHeader::read(cut.bytes());
  EXPECT_EQ(header.segmentation, VnetHeader::kNotSegmented);
  EXPECT_EQ(header.segment_bytes, 0);
  EXPECT_EQ(header.flags, VnetHeader::kNeedsChecksum);
}

TEST(SuperPacket, joined_cuts_are_the_whole_payload) {
  const SuperPacket packet = parse_packet({.tcp = false, .payload = 4321, .segment_bytes = 700});
  ByteVector joined;
  for (std::size_t i = 0; i < packet.segments(); ++i) {
    const SuperPacket cut = packet.cut(i, 1);
    const Bytes data = cut.ip().subspan(28);
    joined.insert(joined.end(), data.begin(), data.end());
  }
  EXPECT_TRUE(equal(joined, packet.ip().subspan(28)));
}

TEST(SuperPacket, a_port_that_changes_keeps_a_finished_checksum_right) {
  ByteVector bytes = make_packet({.tcp = false, .payload = 33});
  VnetHeader{}.write(bytes);
  const MutableBytes ip = MutableBytes(bytes).subspan(kVnetHeaderBytes);
  const MutableBytes udp = ip.subspan(kNetwork4);
  store(udp, 6, internet_checksum(udp), 2);  // over the pseudo-header's sum, which is there
  SuperPacket packet = *SuperPacket::parse(bytes);
  packet.set_source_port(54'321);
  EXPECT_EQ(packet.source_port(), 54'321);
  ByteVector again = to_vector(packet.ip());
  const MutableBytes now = MutableBytes(again).subspan(kNetwork4);
  const std::uint64_t found = load(now, 6, 2);
  store(now, 6, pseudo_header_sum(again, 17, now.size()), 2);
  EXPECT_EQ(found, internet_checksum(now));
}

TEST(SuperPacket, what_is_no_packet_is_refused) {
  const auto refused = [](ByteVector bytes) {
    const auto packet = SuperPacket::parse(std::move(bytes));
    return !packet.ok() && packet.error().is(kBadPacket);
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused(ByteVector(kVnetHeaderBytes + 19)));
  ByteVector version = make_packet({});
  version[kVnetHeaderBytes] = 0x55;
  EXPECT_TRUE(refused(version));
  ByteVector short_tcp = make_packet({.payload = 3000, .segment_bytes = 1000});
  short_tcp[kVnetHeaderBytes + kNetwork4 + 12] = 0x10;
  EXPECT_TRUE(refused(short_tcp));
  ByteVector no_size = make_packet({.payload = 3000, .segment_bytes = 1000});
  no_size[4] = no_size[5] = 0;
  EXPECT_TRUE(refused(no_size));
}

}  // namespace
}  // namespace karst::lab
