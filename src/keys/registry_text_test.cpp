#include <gtest/gtest.h>

#include <string>

#include "base/prng.h"
#include "keys/registry_state.h"

namespace karst::keys {
namespace {

SharedPsk psk(std::uint8_t fill) {
  auto out = std::make_shared<ClientPsk>();
  for (auto& byte : out->expose_mutable()) byte = fill;
  return out;
}
NodeId node(std::uint8_t fill) {
  NodeId id;
  id.bytes.fill(fill);
  return id;
}
std::string text_of(const RegistryState& state) {
  return std::string(format_registry(state).expose_text());
}

RegistryState sample() {
  RegistryState state;
  state.clients[node(1)] = {"alice", psk(0xaa), nullptr, {7, 1'000}, false};
  state.clients[node(2)] = {"bob@work.example", psk(0xbb), psk(0xbc), {}, true};
  state.clients[node(3)] = {"carol", nullptr, psk(0xcc), {}, false};
  state.invites[{1}] = {"dave", psk(0xdd), {1'800'000'000}, {3, 4}, std::nullopt};
  state.invites[{2}] = {"bob@work.example", nullptr, {1'700'000'000}, {}, node(2)};
  return state;
}

TEST(RegistryText, is_what_the_page_of_files_says) {
  const std::string hex_aa(64, 'a');
  RegistryState state;
  state.clients[node(0)] = {"alice", psk(0xaa), nullptr, {7, 1'000}, true};
  state.invites[{0xab}] = {"dave", psk(0xaa), {1'800'000'000}, {}, std::nullopt};
  EXPECT_EQ(text_of(state), "karst-clients 1\nclient " + node(0).text() + " alice psk0=" + hex_aa +
                                " psk1=- streams=7 rate=1000 revoked\ninvite ab" +
                                std::string(30, '0') + " dave psk=" + hex_aa +
                                " expires=1800000000 streams=0 rate=0 spent-by=-\n");
}

TEST(RegistryText, reads_as_it_was_written) {
  const auto parsed = parse_registry(text_of(sample()));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(text_of(*parsed), text_of(sample()));
  const ClientRecord& bob = parsed->clients.at(node(2));
  EXPECT_TRUE(bob.revoked);
  EXPECT_TRUE(equal(bob.generation_1->expose(), psk(0xbc)->expose()));
  EXPECT_EQ(parsed->clients.at(node(1)).limits, (wire::ClientLimits{7, 1'000}));
  EXPECT_EQ(parsed->invites.at({2}).spent_by, node(2));
  EXPECT_EQ(parsed->invites.at({1}).limits, (wire::ClientLimits{3, 4}));
}

TEST(RegistryText, an_empty_registry_is_its_header) {
  EXPECT_EQ(text_of({}), "karst-clients 1\n");
  EXPECT_TRUE(parse_registry("karst-clients 1\n").ok());
}

TEST(RegistryText, takes_lines_in_any_order) {
  std::string text = text_of(sample());
  const std::size_t second = text.find("client karst", 30);
  const std::string first_line = text.substr(16, second - 16);
  text.erase(16, second - 16);
  text += first_line;
  EXPECT_EQ(text_of(*parse_registry(text)), text_of(sample()));
}

TEST(RegistryText, a_wrong_line_is_named_by_its_number) {
  const std::string good = text_of(sample());
  struct Case {
    const char* from;
    const char* to;
    int line;
  };
  const Case cases[] = {
      {"karst-clients 1", "karst-clients 2", 1},
      {"client karst", "clients karst", 2},
      {" alice ", " ali ce ", 2},
      {" alice ", " al!ce ", 2},
      {"psk0=aa", "psk0=AA", 2},
      {"psk0=aa", "psk0=a", 2},
      {"streams=7", "streams=07", 2},
      {"streams=7", "streams=-7", 2},
      {"streams=7", "streams=4294967296", 2},
      {"rate=1000", "rate=", 2},
      {"rate=1000", "rate=1000 ", 2},
      {"rate=1000", "rate=1000 disabled", 2},
      {" revoked", " revoked ", 3},
      {"psk0=- ", "psk0=-- ", 4},
      {"invite 01", "invite 1", 5},
      {"expires=1800000000", "expires=9223372036854775808", 5},
      {"spent-by=-", "spent-by=", 5},
      {"spent-by=karst1", "spent-by=KARST1", 6},
  };
  for (const Case& c : cases) {
    std::string bad = good;
    const std::size_t at = bad.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    bad.replace(at, std::string_view(c.from).size(), c.to);
    const auto parsed = parse_registry(bad);
    ASSERT_FALSE(parsed.ok()) << c.to;
    EXPECT_TRUE(parsed.error().is(kRegistrySyntax));
    EXPECT_EQ(parsed.error().detail(), c.line) << c.to;
  }
}

TEST(RegistryText, a_client_without_a_psk_and_an_invite_with_half_a_state_are_refused) {
  const auto refused = [](void (*change)(RegistryState&)) {
    RegistryState state = sample();
    change(state);
    return !parse_registry(text_of(state)).ok();
  };
  EXPECT_TRUE(refused([](RegistryState& s) { s.clients[node(3)].generation_1 = nullptr; }));
  EXPECT_TRUE(refused([](RegistryState& s) { s.invites[{1}].psk = nullptr; }));
  EXPECT_TRUE(refused([](RegistryState& s) { s.invites[{2}].psk = psk(1); }));
}

TEST(RegistryText, nothing_may_stand_twice) {
  const std::string good = text_of(sample());
  const auto line = [&](std::string_view start) {
    const std::size_t at = good.find(start);
    return good.substr(at, good.find('\n', at) + 1 - at);
  };
  EXPECT_FALSE(parse_registry(good + line("client ")).ok());
  EXPECT_FALSE(parse_registry(good + line("invite ")).ok());
  RegistryState two_alices = sample();
  two_alices.clients[node(9)] = two_alices.clients[node(1)];
  EXPECT_TRUE(parse_registry(text_of(two_alices)).error().is(kNameTaken));
  RegistryState open_invite = sample();
  open_invite.invites[{1}].name = "alice";
  EXPECT_TRUE(parse_registry(text_of(open_invite)).error().is(kNameTaken));
}

TEST(RegistryText, every_cut_is_found_unless_it_is_between_lines) {
  const std::string good = text_of(sample());
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(parse_registry(good.substr(0, size)).ok(), size > 0 && good[size - 1] == '\n')
        << size;
  }
}

TEST(RegistryText, holds_10000_clients_and_not_one_more) {
  RegistryState state;
  for (std::size_t i = 0; i < kClientsMax + 1; ++i) {
    if (i == kClientsMax - 1 || i == kClientsMax) {
      EXPECT_TRUE(parse_registry(text_of(state)).ok()) << i;
    }
    NodeId id;
    id.bytes[0] = static_cast<std::uint8_t>(i);
    id.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    state.clients[id] = {"c" + std::to_string(i), psk(1), nullptr, {}, false};
  }
  EXPECT_TRUE(parse_registry(text_of(state)).error().is(kRegistryFull));
}

TEST(ClientName, is_1_to_64_of_its_characters) {
  for (int c = 0; c < 256; ++c) {
    const char ch = static_cast<char>(c);
    const bool good = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
                      (ch >= '0' && ch <= '9') || ch == '.' || ch == '_' || ch == '@' || ch == '-';
    EXPECT_EQ(valid_client_name(std::string(1, ch)), good) << c;
  }
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u}) {
    EXPECT_EQ(valid_client_name(std::string(size, 'a')), size >= 1 && size <= 64) << size;
  }
}

}  // namespace
}  // namespace karst::keys
