#include "platform/linux/read_file.h"

#include "platform/linux/file_error.h"
#include "platform/linux/temporary_folder_for_test.h"

namespace karst::platform {
namespace {

TEST(ReadFile, reads_up_to_its_limit_and_not_a_byte_more) {
  const TemporaryFolder folder;
  folder.put("file", std::string(100'000, 'x'));
  EXPECT_TRUE(read_file(folder.file("file"), 99'999).error().is(kFileTooLarge));
  EXPECT_EQ(read_file(folder.file("file"), 100'000)->size(), 100'000u);
  EXPECT_EQ(read_file(folder.file("file"), 100'001)->size(), 100'000u);
  folder.put("file", "");
  EXPECT_EQ(read_file(folder.file("file"), 0)->size(), 0u);
}

TEST(ReadFile, reads_files_of_proc_whose_size_is_said_to_be_zero) {
  EXPECT_GT(read_file("/proc/self/status", 65536)->size(), 100u);
}

TEST(ReadFile, refuses_what_is_no_file_and_never_waits_for_it) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder.path(), folder.file("pipe"), std::string("/dev/zero")}) {
    EXPECT_TRUE(read_file(path, 100).error().is(kFileNotRegular)) << path;
    EXPECT_TRUE(read_secret_file(path, 100).error().is(kFileNotRegular)) << path;
  }
  EXPECT_TRUE(read_file(folder.file("missing"), 100).error().is(kFileNotFound));
}

TEST(ReadFile, a_link_to_nothing_is_not_an_absent_file) {
  const TemporaryFolder folder;
  ASSERT_EQ(::symlink("nowhere", folder.file("link").c_str()), 0);
  EXPECT_TRUE(read_file(folder.file("link"), 100).error().is(kFileLinkBroken));
  EXPECT_TRUE(read_secret_file(folder.file("link"), 100).error().is(kFileLinkBroken));
}

TEST(ReadSecretFile, reads_up_to_its_limit_and_not_a_byte_more) {
  const TemporaryFolder folder;
  const std::string text(5000, 's');
  folder.put("secret", text);
  EXPECT_TRUE(read_secret_file(folder.file("secret"), 4999).error().is(kFileTooLarge));
  EXPECT_EQ(read_secret_file(folder.file("secret"), 5000)->expose_text(), text);
}

TEST(ReadSecretFile, takes_memory_for_what_is_there_and_not_for_what_may_be) {
  const TemporaryFolder folder;
  folder.put("secret", "s");
  EXPECT_EQ(read_secret_file(folder.file("secret"), std::size_t{1} << 46)->expose_text(), "s");
}

TEST(ReadSecretFile, refuses_every_right_of_group_and_others) {
  const TemporaryFolder folder;
  for (mode_t mode = 0; mode < 0100; ++mode) {
    folder.put("secret", "s", 0600 | mode);
    const auto read = read_secret_file(folder.file("secret"), 100);
    EXPECT_EQ(read.ok(), mode == 0) << mode;
    EXPECT_TRUE(read.ok() || read.error().is(kFileExposed)) << mode;
  }
}

TEST(ReadSecretFile, refuses_the_file_of_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "giving a file away needs root";
  const TemporaryFolder folder;
  folder.put("secret", "s");
  ASSERT_EQ(::chown(folder.file("secret").c_str(), 12345, 12345), 0);
  EXPECT_TRUE(read_secret_file(folder.file("secret"), 100).error().is(kFileForeign));
}

TEST(ReadSecretFile, takes_the_users_own_file_and_says_when_the_system_forbids) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  const TemporaryFolder folder;
  folder.put("own", "s");
  folder.put("roots", "s");
  ASSERT_EQ(::chown(folder.file("own").c_str(), 12345, 12345), 0);
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_TRUE(holds_in_child([&] {
    if (::setuid(12345) != 0) return false;
    return read_secret_file(folder.file("own"), 100).ok() &&
           read_secret_file(folder.file("roots"), 100).error().is(kFilePermission);
  }));
}

}  // namespace
}  // namespace karst::platform
