#include "lab/peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "lab/kcp_window.h"

namespace karst::lab {
namespace {

constexpr const char* kTcpTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
    "   0: 020012C6:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
    "   1: 020012C6:01BB 010012C6:8A2C 01 00000000:00000000 00:00000000 00000000     0\n";
constexpr const char* kUdp6Table =
    "  sl  local_address                         remote_address                        st\n"
    "  9: 00000000000000000000000000000000:74CC 00000000000000000000000000000000:0000 07 0\n";

TEST(Peer, a_port_is_open_if_a_socket_on_it_waits_for_anyone) {
  EXPECT_TRUE(lists_port(kTcpTable, 22));
  EXPECT_FALSE(lists_port(kTcpTable, 443)) << "that socket has a partner";
  EXPECT_FALSE(lists_port(kTcpTable, 80));
  EXPECT_TRUE(lists_port(kUdp6Table, 29'900));
  EXPECT_FALSE(lists_port("", 22));
}

TEST(Peer, its_version_is_the_line_with_a_number) {
  EXPECT_EQ(version_line("Initializing inetd mode configuration\nstunnel 5.68 on x86_64\nmore 1\n"),
            "stunnel 5.68 on x86_64");
  EXPECT_EQ(version_line("kcptun version SELFBUILD\n"), "kcptun version SELFBUILD");
  EXPECT_EQ(version_line("\n  odd \x1b[1m 7\n"), "odd [1m 7");
  EXPECT_EQ(version_line(""), "");
  EXPECT_EQ(version_line(std::string(100, '1')).size(), 60u);
}

TEST(Peer, each_is_whole_and_has_a_name_of_its_own) {
  std::set<std::string> names;
  for (const Peer& peer : all_peers()) {
    EXPECT_TRUE(names.insert(peer.name).second) << peer.name;
    ASSERT_FALSE(peer.version.empty()) << peer.name;
    EXPECT_THAT(peer.programs, testing::Contains(peer.version.front())) << peer.name;
    EXPECT_NE(peer.prepare, nullptr) << peer.name;
    EXPECT_NE(peer.server, nullptr) << peer.name;
    EXPECT_NE(peer.client, nullptr) << peer.name;
    EXPECT_FALSE(peer.settings.empty()) << peer.name;
  }
}

TEST(KcpWindow, holds_the_path_twice_beside_its_parity_and_never_falls_under_the_default) {
  // 210 ms at 1 Gbit/s are 26.25 MB: twice 19,444 packets, of which 10 in 13 are data.
  EXPECT_EQ(kcp_window(210, 1000), 29'913u);
  EXPECT_EQ(kcp_buffer(210, 1000), 29'913u * 1350);
  EXPECT_EQ(kcp_buffer(60, 100), 4u << 20);
  EXPECT_EQ(kcp_window(60, 100), 1024u);
}

}  // namespace
}  // namespace karst::lab
