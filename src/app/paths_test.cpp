#include "app/paths.h"

#include <gtest/gtest.h>

using namespace karst::app;

namespace {

const Environment kUser{false, "/home/u", "", "", ""};

void expect_paths(const Paths& paths, const char* config, const char* state, const char* run) {
  EXPECT_EQ(paths.config, config);
  EXPECT_EQ(paths.state, state);
  EXPECT_EQ(paths.run, run);
}

TEST(Paths, the_directory_option_keeps_everything_together_for_everybody) {
  for (const bool root : {false, true}) {
    Environment environment{root, "/home/u", "/c", "/s", "/r"};
    expect_paths(find_paths("/d", environment), "/d", "/d/state", "/d/run");
  }
}

TEST(Paths, a_command_to_type_names_the_directory_where_one_was_given) {
  EXPECT_EQ(command_line(find_paths({}, kUser), "up"), "karst up");
  EXPECT_EQ(command_line(find_paths("srv", kUser), "up"), "karst up --dir srv");
  EXPECT_EQ(command_line(find_paths("/a b/it's", kUser), "up"), "karst up --dir '/a b/it'\\''s'");
}

TEST(Paths, root_uses_the_directories_of_the_system_whatever_the_environment_says) {
  expect_paths(find_paths({}, {true, "/root", "/c", "/s", "/r"}), "/etc/karst", "/var/lib/karst",
               "/run/karst");
}

TEST(Paths, a_user_has_the_xdg_directories_or_their_defaults) {
  expect_paths(find_paths({}, {false, "/home/u", "/c", "/s", "/r"}), "/c/karst", "/s/karst",
               "/r/karst");
  expect_paths(find_paths({}, kUser), "/home/u/.config/karst", "/home/u/.local/state/karst",
               "/home/u/.local/state/karst/run");
}

TEST(Paths, a_relative_xdg_directory_counts_as_unset) {
  expect_paths(find_paths({}, {false, "/home/u", "c", "s", "r"}), "/home/u/.config/karst",
               "/home/u/.local/state/karst", "/home/u/.local/state/karst/run");
}

TEST(Paths, secrets_that_the_daemon_writes_are_in_the_state_directory) {
  const Paths paths = find_paths("/d", kUser);
  EXPECT_EQ(paths.server_settings(), "/d/server.toml");
  EXPECT_EQ(paths.client_settings(), "/d/client.toml");
  EXPECT_EQ(paths.identity(), "/d/identity.key");
  EXPECT_EQ(paths.front_secret(), "/d/front.secret");
  EXPECT_EQ(paths.registry(), "/d/state/clients");
  EXPECT_EQ(paths.psk(), "/d/state/client.psk");
  EXPECT_EQ(paths.invite(), "/d/state/invite.secret");
  EXPECT_EQ(paths.control(), "/d/run/control.sock");
}

}  // namespace
