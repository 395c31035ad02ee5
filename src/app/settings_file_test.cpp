#include "app/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace karst;
using namespace karst::app;
using testing::Contains;
using testing::HasSubstr;

namespace {

const std::string kNode = "karst14yxf55qsw43989h70xfc7z389hjk0grcrpukmr0qvxlvj6j6v0kq7nsvqf";
const std::string kServer =
    "[server]\nlisten = [\"0.0.0.0:443\"]\nname = \"www.example.org\"\n"
    "addresses = [\"example.org:443\"]\n";
const std::string kClient =
    "[client]\nserver = \"" + kNode + "\"\naddresses = [\"example.org:443\"]\n";

std::string server_error(const std::string& text) {
  const auto settings = parse_server_settings(text, "/etc/karst/server.toml");
  return settings ? "" : settings.error().message;
}
std::string client_error(const std::string& text) {
  const auto settings = parse_client_settings(text, "/etc/karst/client.toml");
  return settings ? "" : settings.error().message;
}
ServerSettings server(const std::string& more) {
  const auto settings = parse_server_settings(kServer + more, "/etc/karst/server.toml");
  EXPECT_TRUE(settings) << settings.error().message;
  return settings.value_or(ServerSettings{});
}

TEST(SettingsFile, a_server_needs_three_keys_and_has_defaults_for_the_rest) {
  const ServerSettings settings = server("");
  EXPECT_EQ(settings.listen, std::vector{*Endpoint::parse("0.0.0.0:443")});
  EXPECT_EQ(settings.addresses, (std::vector{wire::ServerAddress{"example.org", 443}}));
  EXPECT_EQ(settings.certificate, "/etc/karst/tls.crt");
  EXPECT_EQ(settings.key, "/etc/karst/tls.key");
  EXPECT_EQ(settings.link.policy, keys::kExtreme);
  EXPECT_EQ(settings.link.rekey_window, std::nullopt);
  EXPECT_EQ(settings.cover.websocket, "/live");
  EXPECT_EQ(settings.limits.memory, 1ull << 30);
  EXPECT_EQ(settings.log.level, TraceLevel::info);
}

TEST(SettingsFile, what_is_missing_is_named) {
  EXPECT_EQ(server_error(""), "/etc/karst/server.toml:1:1: [server]: this section is missing");
  EXPECT_EQ(client_error(""), "/etc/karst/client.toml:1:1: [client]: this section is missing");
  EXPECT_EQ(server_error("\n[server]\n"),
            "/etc/karst/server.toml:2:1: [server] listen: must name at least one address and port");
  EXPECT_THAT(server_error("[server]\nlisten = [\"0.0.0.0:443\"]\n"),
              HasSubstr("server.toml:1:1: [server] name: must be the host name"));
  EXPECT_THAT(client_error("[client]\n"),
              HasSubstr("client.toml:1:1: [client] server: must be the server's node id"));
}

TEST(SettingsFile, a_file_that_is_not_toml_is_refused_where_it_ceases_to_be) {
  EXPECT_THAT(server_error("[server]\nlisten = [\n"), HasSubstr("/etc/karst/server.toml:2:12: "));
  EXPECT_THAT(server_error("[server]\nname = www\n"), HasSubstr("/etc/karst/server.toml:2:8: "));
}

// A whole file whose second line gives `key` a date, which is the wrong type for every key.
std::string with_a_date(const std::string& base, const std::string& section,
                        const std::string& key) {
  const std::string line = "[" + section + "]\n  " + key + " = 1979-05-27\n";
  const std::size_t first = base.find('\n') + 1;
  if (base.substr(0, first) != "[" + section + "]\n") return line + base;
  std::string rest = base.substr(first);
  if (const std::size_t old = ("\n" + rest).find("\n" + key + " ="); old != rest.npos) {
    rest.erase(old, rest.find('\n', old) + 1 - old);
  }
  return line + rest;
}

TEST(SettingsFile, every_key_of_a_wrong_type_is_refused_at_its_place) {
  for (const bool is_server : {true, false}) {
    for (const std::string& name : is_server ? server_setting_names() : client_setting_names()) {
      const std::string section = name.substr(0, name.find('.'));
      const std::string key = name.substr(name.find('.') + 1);
      const std::string text = with_a_date(is_server ? kServer : kClient, section, key);
      EXPECT_THAT(is_server ? server_error(text) : client_error(text),
                  HasSubstr(":2:" + std::to_string(6 + key.size()) + ": [" + section + "] " + key +
                            ": must be "));
    }
  }
}

TEST(SettingsFile, unknown_keys_and_sections_come_with_the_nearest_name) {
  EXPECT_EQ(server_error(kServer + "[limits]\nstream_windw = 1\n"),
            "/etc/karst/server.toml:6:1: [limits] has no key \"stream_windw\"; did you mean "
            "\"stream_window\"?");
  EXPECT_EQ(server_error(kServer + "[egres]\n"),
            "/etc/karst/server.toml:5:2: there is no section [egres]; did you mean \"egress\"?");
  EXPECT_THAT(client_error(kClient + "[egress]\n"), HasSubstr("there is no section [egress]"));
  EXPECT_THAT(server_error("policy = \"soft\"\n" + kServer), HasSubstr(":1:1: "));
}

TEST(SettingsFile, the_named_policies_are_those_of_the_protocol) {
  const std::pair<const char*, keys::EpochPolicy> policies[] = {{"extreme", keys::kExtreme},
                                                                {"brisk", keys::kBrisk},
                                                                {"normal", keys::kNormal},
                                                                {"soft", keys::kSoft}};
  for (const auto& [name, policy] : policies) {
    EXPECT_EQ(server("policy = \"" + std::string(name) + "\"\n").link.policy, policy);
  }
  EXPECT_THAT(server_error(kServer + "policy = \"hard\"\n"),
              HasSubstr(":5:10: [server] policy: must be one of extreme, brisk, normal, soft, "
                        "ultimate"));
}

TEST(SettingsFile, ultimate_takes_all_three_numbers_and_only_together) {
  const std::string ultimate = "policy = \"ultimate\"\n";
  EXPECT_EQ(server(ultimate + "policy_custom = { epoch_bytes = 300000, epoch_frames = 700, "
                              "epoch_active_ms = 1000 }\npolicy_floor = \"extreme\"\n")
                .link.policy,
            (keys::EpochPolicy{300'000, 700, 1000}));
  EXPECT_THAT(server_error(kServer + ultimate), HasSubstr(":5:10: [server] policy: \"ultimate\" "
                                                          "needs policy_custom"));
  EXPECT_THAT(server_error(kServer + ultimate +
                           "policy_custom = { epoch_bytes = 300000, epoch_frames = 7 }\n"),
              HasSubstr(":6:17: [server.policy_custom]: needs all of"));
  EXPECT_THAT(server_error(kServer + ultimate +
                           "policy_custom = { epoch_bytes = 300000, epoch_frames = 7, "
                           "epoch_active_m = 1000 }\n"),
              HasSubstr("did you mean \"epoch_active_ms\"?"));
  EXPECT_THAT(server_error(kServer + "policy_custom = { epoch_bytes = 300000, epoch_frames = 7, "
                                     "epoch_active_ms = 1000 }\n"),
              HasSubstr("is only read with policy = \"ultimate\""));
}

TEST(SettingsFile, the_numbers_of_ultimate_have_the_limits_of_the_protocol) {
  struct Bound {
    const char* key;
    std::uint64_t min, max;
  };
  const Bound bounds[] = {{"epoch_bytes", keys::kEpochBytesMin, keys::kEpochBytesMax},
                          {"epoch_frames", 1, keys::kEpochFramesMaxStream},
                          {"epoch_active_ms", 1, keys::kEpochActiveMsMax}};
  for (const Bound& bound : bounds) {
    for (const auto& [value, good] : {std::pair(bound.min - 1, false),
                                      {bound.min, true},
                                      {bound.min + 1, true},
                                      {bound.max - 1, true},
                                      {bound.max, true},
                                      {bound.max + 1, false}}) {
      std::string custom;
      for (const Bound& each : bounds) {
        custom += (custom.empty() ? "" : ", ") + std::string(each.key) + " = " +
                  std::to_string(each.key == bound.key ? value : each.max);
      }
      const std::string error =
          server_error(kServer + "policy = \"ultimate\"\npolicy_custom = { " + custom + " }\n");
      EXPECT_EQ(error.find("must be from") == error.npos, good) << bound.key << " " << value;
    }
  }
}

TEST(SettingsFile, a_policy_below_its_own_floor_is_refused) {
  EXPECT_EQ(server("policy = \"soft\"\npolicy_floor = \"brisk\"\n").link.policy_floor,
            keys::kBrisk);
  EXPECT_THAT(server_error(kServer + "policy = \"brisk\"\npolicy_floor = \"soft\"\n"),
              HasSubstr(":6:16: [server] policy_floor: is above the policy"));
}

TEST(SettingsFile, the_rekey_window_is_auto_or_1_to_512) {
  for (const auto& [value, good] : {std::pair("\"auto\"", true),
                                    {"0", false},
                                    {"1", true},
                                    {"2", true},
                                    {"511", true},
                                    {"512", true},
                                    {"513", false},
                                    {"\"many\"", false}}) {
    const std::string error = server_error(kServer + "rekey_window = " + value + "\n");
    EXPECT_EQ(error.empty(), good) << value << error;
  }
  EXPECT_EQ(server("rekey_window = 16\n").link.rekey_window, 16);
}

TEST(SettingsFile, one_to_eight_addresses_since_an_invite_carries_no_more) {
  for (int count = 0; count <= 9; ++count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += "\"a" + std::to_string(i) + ".example:443\",";
    const std::string error = server_error(
        "[server]\nlisten = [\"0.0.0.0:443\"]\nname = \"x\"\naddresses = [" + list + "]\n");
    EXPECT_EQ(error.empty(), count >= 1 && count <= 8) << count << error;
  }
}

TEST(SettingsFile, a_cover_site_is_a_folder_or_a_loopback_address_but_not_both) {
  EXPECT_EQ(server("[cover]\nroot = \"www\"\n").cover.root, "/etc/karst/www");
  EXPECT_EQ(server("[cover]\nroot = \"/srv/www\"\n").cover.root, "/srv/www");
  EXPECT_EQ(server("[cover]\nupstream = \"http://127.0.0.1:8080/\"\n").cover.upstream,
            Endpoint::parse("127.0.0.1:8080"));
  EXPECT_EQ(server("[cover]\nupstream = \"http://[::1]:8080\"\n").cover.upstream,
            Endpoint::parse("[::1]:8080"));
  for (const char* upstream :
       {"127.0.0.1:8080", "https://127.0.0.1:8080", "http://192.0.2.1:80", "http://localhost:80",
        "http://127.0.0.1", "http://127.0.0.1:80/a"}) {
    EXPECT_THAT(server_error(kServer + "[cover]\nupstream = \"" + upstream + "\"\n"),
                HasSubstr(":6:12: [cover] upstream: must be a loopback address"))
        << upstream;
  }
  EXPECT_THAT(
      server_error(kServer + "[cover]\nroot = \"www\"\nupstream = \"http://127.0.0.1:80\"\n"),
      HasSubstr("cannot stand beside root"));
  EXPECT_THAT(server_error(kServer + "[cover]\nwebsocket = \"live\"\n"), HasSubstr(":6:13: "));
}

TEST(SettingsFile, egress_rules_keep_their_action_and_name_what_cannot_be_read) {
  using Action = stream::proxy::EgressRule::Action;
  const auto rules =
      server("[egress]\nallow = [\"10.0.0.0/8 22\"]\ndeny = [\"192.0.2.0/24\"]\n").egress;
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].action, Action::allow);
  EXPECT_EQ(rules[1].action, Action::deny);
  EXPECT_THAT(server_error(kServer + "[egress]\ndeny = [\"10.0.0.0/33\"]\n"),
              HasSubstr(":6:8: [egress] deny: \"10.0.0.0/33\" is not a network"));
}

TEST(SettingsFile, a_proxy_user_needs_a_password_file_and_the_other_way_round) {
  const auto settings = parse_client_settings(
      kClient + "[proxy]\nuser = \"me\"\npassword_file = \"pw\"\n", "/etc/karst/client.toml");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->proxy_password_file, "/etc/karst/pw");
  EXPECT_THAT(client_error(kClient + "[proxy]\nuser = \"me\"\n"), HasSubstr("go together"));
  EXPECT_THAT(client_error(kClient + "[proxy]\npassword_file = \"pw\"\n"),
              HasSubstr("go together"));
}

TEST(SettingsFile, a_pin_is_32_bytes_of_base64url) {
  const std::string good(43, 'A');
  EXPECT_EQ(client_error(kClient + "pin = \"" + good + "\"\n"), "");
  for (const std::string& pin : {std::string(), good + "A", good.substr(1), good.substr(1) + "="}) {
    EXPECT_THAT(client_error(kClient + "pin = \"" + pin + "\"\n"), HasSubstr(":4:7: [client] pin"));
  }
}

TEST(SettingsFile, there_are_at_most_forty_settings_in_all) {
  const auto ours = server_setting_names();
  const auto theirs = client_setting_names();
  EXPECT_THAT(ours, Contains("server.rekey_window"));
  EXPECT_THAT(theirs, Contains("proxy.password_file"));
  EXPECT_LE(ours.size() + theirs.size(), 40u);
}

}  // namespace
