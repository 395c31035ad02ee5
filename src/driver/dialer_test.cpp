#include "driver/dialer.h"

#include <gtest/gtest.h>

#include "driver/ports_for_test.h"

namespace karst::driver {
namespace {

using namespace stream::proxy;

TEST(Dialer, once_it_has_a_connection_its_other_look_up_does_not_wait_any_more) {
  FakePorts ports;
  ports.connect_error.reset();
  LinkLookUps::Totals all;
  std::vector<std::unique_ptr<LinkLookUps>> links;
  std::vector<std::unique_ptr<Lookup>> others;
  const auto ask = [&others](LinkLookUps& link) {
    others.push_back(link.look_up("other", AddressFamily::v4, [](const auto&) {}));
  };
  const auto ask_elsewhere = [&] {
    ask(*links.emplace_back(std::make_unique<LinkLookUps>(ports, all)));
  };
  while (all.running() < LinkLookUps::kOfAll - 3) ask_elsewhere();
  LinkLookUps look_ups(ports, all);
  ask(look_ups);
  const EgressPolicy everywhere = EgressPolicy::everything();
  bool connected = false;
  const auto done = [&](std::unique_ptr<TcpStream> socket, OpenResult) {
    connected = socket != nullptr;
  };
  Dialer dialer(*Target::make("example.org", 443), everywhere, ports, done, {}, &look_ups);
  dialer.start();
  ASSERT_EQ(ports.look_ups.back().family, AddressFamily::v6);
  auto answer = std::move(ports.look_ups.back().callback);
  ask_elsewhere();
  answer(std::vector<IpAddress>{*IpAddress::parse("2600::1")});
  ASSERT_EQ(ports.connected.size(), 1u);
  ASSERT_EQ(look_ups.waiting(), 1u) << "there is no room for IPv4 yet";
  ports.connected.front().handler->on_connected({});
  EXPECT_TRUE(connected);
  EXPECT_EQ(look_ups.waiting(), 0u);
  others.clear();
}

}  // namespace
}  // namespace karst::driver
