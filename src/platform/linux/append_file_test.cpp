#include "platform/linux/append_file.h"

#include "platform/linux/failing_calls_for_test.h"
#include "platform/linux/file_error.h"
#include "platform/linux/temporary_folder_for_test.h"

namespace karst::platform {
namespace {

using From = FailingCalls::From;

TEST(AppendFile, adds_to_what_is_there_and_creates_what_is_not) {
  const TemporaryFolder folder;
  {
    auto file = std::move(*AppendFile::open(folder.file("log")));
    ASSERT_TRUE(file.append(as_bytes("one,")).ok());
    ASSERT_TRUE(file.append(as_bytes("two,")).ok());
  }
  auto file = std::move(*AppendFile::open(folder.file("log")));
  EXPECT_EQ(file.size(), 8);
  ASSERT_TRUE(file.append(as_bytes("three")).ok());
  EXPECT_EQ(folder.text("log"), "one,two,three");
  EXPECT_EQ(folder.mode("log"), 0600u);
}

TEST(AppendFile, refuses_what_is_no_file) {
  const TemporaryFolder folder;
  ASSERT_EQ(::symlink("/dev/null", folder.file("link").c_str()), 0);
  EXPECT_TRUE(AppendFile::open(folder.file("link")).error().is(kFileNotRegular));
  EXPECT_TRUE(AppendFile::open(folder.path()).error().is(kFileNotRegular));
}

TEST(AppendFile, whichever_call_of_an_append_fails_the_file_is_as_before) {
  int failures = 0;
  for (int n = 1;; ++n) {
    const TemporaryFolder folder;
    folder.put("log", "before,");
    FailingCalls calls(n, From::that_one, EIO);
    auto file = AppendFile::open(folder.file("log"), calls);
    if (!file.ok()) {
      EXPECT_EQ(folder.text("log"), "before,");
      continue;
    }
    const Result<void> result = file->append(as_bytes("a longer record,"));
    if (!calls.struck()) break;
    ++failures;
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(folder.text("log"), "before,") << n;
    ASSERT_TRUE(file->append(as_bytes("after")).ok());
    EXPECT_EQ(folder.text("log"), "before,after") << n;
  }
  EXPECT_EQ(failures, 5) << "four writes of four bytes and the sync";
}

TEST(AppendFile, a_record_that_cannot_be_cut_off_is_cut_off_before_the_next_one) {
  const TemporaryFolder folder;
  folder.put("log", "before,");
  // Opening takes three calls; the second write fails, and so does cutting the first one off.
  FailingCalls calls(5, From::that_one_on, EIO);
  auto file = std::move(*AppendFile::open(folder.file("log"), calls));
  EXPECT_FALSE(file.append(as_bytes("torn record,")).ok());
  EXPECT_EQ(folder.text("log"), "before,torn");
  EXPECT_FALSE(file.append(as_bytes("next")).ok()) << "nothing may follow a torn record";
  EXPECT_EQ(folder.text("log"), "before,torn");
  calls.heal();
  ASSERT_TRUE(file.append(as_bytes("next")).ok());
  EXPECT_EQ(folder.text("log"), "before,next");
}

}  // namespace
}  // namespace karst::platform
