#include "platform/linux/state_directory.h"

#include <signal.h>

#include "platform/linux/file_error.h"
#include "platform/linux/temporary_folder_for_test.h"

namespace karst::platform {
namespace {

TEST(StateDirectory, is_made_for_its_owner_only) {
  const TemporaryFolder folder;
  {
    const auto state = StateDirectory::open(folder.file("state"));
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(folder.mode("state"), 0700u);
    EXPECT_EQ(state->file("identity"), folder.file("state") + "/identity");
  }
  EXPECT_EQ(::rmdir(folder.file("state").c_str()), 0) << "the lock leaves no file";
}

TEST(StateDirectory, belongs_to_one_process_at_a_time) {
  const TemporaryFolder folder;
  auto first = StateDirectory::open(folder.path());
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(StateDirectory::open(folder.path()).error().is(kStateLocked));
  EXPECT_TRUE(
      holds_in_child([&] { return StateDirectory::open(folder.path()).error().is(kStateLocked); }));
  first = kFileNotFound;
  EXPECT_TRUE(StateDirectory::open(folder.path()).ok());
}

TEST(StateDirectory, is_free_again_when_its_process_was_killed) {
  const TemporaryFolder folder;
  EXPECT_FALSE(holds_in_child([&] {
    const auto state = StateDirectory::open(folder.path());
    return ::kill(::getpid(), SIGKILL) != 0;
  }));
  EXPECT_TRUE(StateDirectory::open(folder.path()).ok());
}

TEST(StateDirectory, refuses_every_right_of_group_and_others) {
  const TemporaryFolder folder;
  for (mode_t mode = 0; mode < 0100; ++mode) {
    ASSERT_EQ(::chmod(folder.path().c_str(), 0700 | mode), 0);
    const auto state = StateDirectory::open(folder.path());
    EXPECT_EQ(state.ok(), mode == 0) << mode;
    EXPECT_TRUE(state.ok() || state.error().is(kStateExposed)) << mode;
  }
}

TEST(StateDirectory, refuses_another_users_directory_and_what_is_none) {
  const TemporaryFolder folder;
  folder.put("file", "");
  EXPECT_TRUE(StateDirectory::open(folder.file("file")).error().is(kFileNotRegular));
  EXPECT_TRUE(StateDirectory::open(folder.file("no/state")).error().is(kFileNotFound));
  if (::geteuid() != 0) GTEST_SKIP() << "giving a directory away needs root";
  ASSERT_EQ(::chown(folder.path().c_str(), 12345, 12345), 0);
  EXPECT_TRUE(StateDirectory::open(folder.path()).error().is(kStateForeign));
}

}  // namespace
}  // namespace karst::platform
