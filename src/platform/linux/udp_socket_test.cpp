#include "platform/linux/udp_socket.h"

#include "platform/linux/test_support.h"

namespace karst::platform {
namespace {

struct Mailbox : driver::UdpSocket::Handler {
  explicit Mailbox(std::unique_ptr<driver::UdpSocket> opened) : socket(std::move(opened)) {
    socket->set_handler(*this);
  }
  virtual ~Mailbox() = default;
  void on_readable() override {
    ++readable;
    std::uint8_t space[16];
    for (;;) {
      const auto got = socket->receive(space);
      if (!got.ok()) {
        EXPECT_TRUE(got.error().is(driver::kWouldBlock));
        return;
      }
      texts.emplace_back(as_text(Bytes(space).first(got->size)));
      senders.push_back(got->from);
    }
  }
  std::unique_ptr<driver::UdpSocket> socket;
  std::vector<std::string> texts;
  std::vector<Endpoint> senders;
  int readable = 0;
};

using UdpTest = LoopTest;

TEST_F(UdpTest, carries_datagrams_whole_and_says_who_sent_them) {
  Mailbox a(std::move(*loop.open_udp(loopback())));
  Mailbox b(std::move(*loop.open_udp(loopback())));
  ASSERT_TRUE(a.socket->send(as_bytes("one"), b.socket->local()).ok());
  ASSERT_TRUE(a.socket->send({}, b.socket->local()).ok());
  ASSERT_TRUE(a.socket->send(as_bytes("three"), b.socket->local()).ok());
  until([&] { return b.texts.size() == 3; });
  EXPECT_EQ(b.texts, (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(b.senders[0], a.socket->local());
}

TEST_F(UdpTest, cuts_a_datagram_that_is_longer_than_the_space) {
  Mailbox a(std::move(*loop.open_udp(loopback())));
  ASSERT_TRUE(a.socket->send(as_bytes("0123456789abcdefXYZ"), a.socket->local()).ok());
  until([&] { return !a.texts.empty(); });
  EXPECT_EQ(a.texts[0], "0123456789abcdef");
}

TEST_F(UdpTest, a_dual_socket_speaks_to_both_families_and_shows_ipv4_as_ipv4) {
  Mailbox dual(std::move(*loop.open_udp({*IpAddress::parse("::"), 0})));
  Mailbox four(std::move(*loop.open_udp(loopback())));
  Mailbox six(std::move(*loop.open_udp(loopback6())));
  ASSERT_TRUE(dual.socket->send(as_bytes("4"), four.socket->local()).ok());
  ASSERT_TRUE(dual.socket->send(as_bytes("6"), six.socket->local()).ok());
  const std::uint16_t port = dual.socket->local().port;
  ASSERT_TRUE(four.socket->send(as_bytes("back"), loopback(port)).ok());
  until([&] { return !four.texts.empty() && !six.texts.empty() && !dual.texts.empty(); });
  EXPECT_EQ(dual.senders[0], four.socket->local());
}

TEST_F(UdpTest, an_ipv4_socket_cannot_reach_ipv6) {
  Mailbox four(std::move(*loop.open_udp(loopback())));
  EXPECT_TRUE(four.socket->send(as_bytes("x"), loopback6(9)).error().is(driver::kNetUnreachable));
}

TEST_F(UdpTest, nobody_listening_does_not_disturb_the_socket) {
  Mailbox a(std::move(*loop.open_udp(loopback())));
  const Endpoint nobody = Mailbox(std::move(*loop.open_udp(loopback()))).socket->local();
  ASSERT_TRUE(a.socket->send(as_bytes("x"), nobody).ok());
  ASSERT_TRUE(a.socket->send(as_bytes("y"), a.socket->local()).ok());
  until([&] { return a.texts.size() == 1; });
}

TEST_F(UdpTest, one_turn_gives_a_bounded_number_of_datagrams) {
  Mailbox a(std::move(*loop.open_udp(loopback())));
  Mailbox b(std::move(*loop.open_udp(loopback())));
  constexpr std::size_t kPerTurn = kDatagramsPerTurn;
  for (std::size_t i = 0; i < kPerTurn + 5; ++i) {
    ASSERT_TRUE(a.socket->send(as_bytes("x"), b.socket->local()).ok());
  }
  turn();
  EXPECT_EQ(b.texts.size(), kPerTurn);
  until([&] { return b.texts.size() == kPerTurn + 5; });
}

TEST_F(UdpTest, a_callback_may_destroy_its_own_socket) {
  struct Suicidal : Mailbox {
    using Mailbox::Mailbox;
    void on_readable() override {
      ++readable;
      socket.reset();
    }
  } a(std::move(*loop.open_udp(loopback())));
  Mailbox b(std::move(*loop.open_udp(loopback())));
  ASSERT_TRUE(b.socket->send(as_bytes("x"), a.socket->local()).ok());
  ASSERT_TRUE(b.socket->send(as_bytes("y"), a.socket->local()).ok());
  until([&] { return a.socket == nullptr; });
  turns(3);
  EXPECT_EQ(a.readable, 1);
}

}  // namespace
}  // namespace karst::platform
