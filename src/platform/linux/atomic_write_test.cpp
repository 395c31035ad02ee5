#include "platform/linux/atomic_write.h"

#include <sched.h>
#include <sys/mount.h>

#include <thread>

#include "platform/linux/failing_calls_for_test.h"
#include "platform/linux/file_error.h"
#include "platform/linux/temporary_folder_for_test.h"

namespace karst::platform {
namespace {

using From = FailingCalls::From;

TEST(AtomicWrite, creates_and_replaces_and_leaves_nothing_else) {
  const TemporaryFolder folder;
  for (std::string_view text : {"first", "second, longer", ""}) {
    ASSERT_TRUE(atomic_write(folder.file("f"), as_bytes(text), FileAccess::secret).ok());
    EXPECT_EQ(folder.text("f"), text);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
  }
}

TEST(AtomicWrite, a_secret_is_for_its_owner_only_whatever_stood_there_before) {
  const TemporaryFolder folder;
  const mode_t umask_before = ::umask(0);
  folder.put("f", "open", 0666);
  folder.put("f.new", "left by a crash", 0666);
  ASSERT_TRUE(atomic_write(folder.file("f"), as_bytes("s"), FileAccess::secret).ok());
  EXPECT_EQ(folder.mode("f"), 0600u);
  ASSERT_TRUE(atomic_write(folder.file("f"), as_bytes("r"), FileAccess::readable).ok());
  EXPECT_EQ(folder.mode("f"), 0644u);
  ::umask(umask_before);
  EXPECT_EQ(folder.names().size(), 1u);
}

TEST(AtomicWrite, refuses_to_replace_what_is_no_file) {
  const TemporaryFolder folder;
  EXPECT_TRUE(
      atomic_write(folder.path(), as_bytes("x"), FileAccess::secret).error().is(kFileNotRegular));
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicWrite, a_missing_folder_is_an_error) {
  const TemporaryFolder folder;
  EXPECT_TRUE(atomic_write(folder.file("no/f"), as_bytes("x"), FileAccess::secret)
                  .error()
                  .is(kFileNotFound));
}

// Whether `old` stood at "f" before, and whether the file system can exchange files.
struct Ground {
  const char* old;
  bool can_exchange;
};
constexpr Ground kGrounds[] = {{"old content", true}, {nullptr, true}, {"old content", false}};

// Writes with the failing call; false when the call was never reached.
bool write_with_failure(const TemporaryFolder& folder, const Ground& ground, FailingCalls& calls,
                        Result<void>& result) {
  if (ground.old != nullptr) folder.put("f", ground.old);
  calls.can_exchange = ground.can_exchange;
  result = atomic_write(folder.file("f"), as_bytes("new content"), FileAccess::secret, calls);
  return calls.struck();
}

TEST(AtomicWrite, whichever_call_fails_the_old_file_stands_and_nothing_is_left) {
  for (const Ground& ground : kGrounds) {
    int failures = 0;
    for (int n = 1;; ++n) {
      const TemporaryFolder folder;
      FailingCalls calls(n, From::that_one, ENOSPC);
      Result<void> result;
      if (!write_with_failure(folder, ground, calls, result)) break;
      const std::string before = ground.old == nullptr ? "(none)" : ground.old;
      if (result.ok()) {
        // Only cleaning up may fail without harm.
        EXPECT_TRUE(calls.unlink_failed()) << n;
        EXPECT_EQ(folder.text("f"), "new content") << n;
        continue;
      }
      ++failures;
      EXPECT_TRUE(result.error().is(kDiskFull)) << n;
      EXPECT_TRUE(calls.unlink_failed() || folder.text("f.new") == "(none)") << n;
      const bool at_the_sync_of_the_folder = folder.text("f") == "new content";
      if (!at_the_sync_of_the_folder || ground.can_exchange) {
        EXPECT_EQ(folder.text("f"), before) << n;
      }
    }
    EXPECT_GE(failures, 8);
  }
}

TEST(AtomicWrite, when_the_disk_dies_at_any_call_the_file_is_whole) {
  for (const Ground& ground : kGrounds) {
    for (int n = 1;; ++n) {
      const TemporaryFolder folder;
      FailingCalls calls(n, From::that_one_on, EIO);
      Result<void> result;
      if (!write_with_failure(folder, ground, calls, result)) break;
      const std::string text = folder.text("f");
      EXPECT_TRUE(text == "new content" || text == (ground.old == nullptr ? "(none)" : ground.old))
          << n << text;
      EXPECT_TRUE(!result.ok() || text == "new content") << n;
    }
  }
}

TEST(AtomicCreate, writes_what_is_not_there_and_leaves_what_is) {
  const TemporaryFolder folder;
  ASSERT_TRUE(atomic_create(folder.file("f"), as_bytes("first"), FileAccess::secret).ok());
  EXPECT_EQ(folder.mode("f"), 0600u);
  EXPECT_TRUE(atomic_create(folder.file("f"), as_bytes("second"), FileAccess::secret)
                  .error()
                  .is(kFileExists));
  EXPECT_EQ(folder.text("f"), "first");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

// Another process makes the file after the first look.
TEST(AtomicCreate, never_replaces_what_comes_in_between) {
  class Rival final : public FileCalls {
   public:
    explicit Rival(const TemporaryFolder& folder) : folder_(folder) {}
    int fsync(int fd) override {
      folder_.put("f", "the rival's");
      return FileCalls::fsync(fd);
    }

   private:
    const TemporaryFolder& folder_;
  };
  const TemporaryFolder folder;
  Rival calls(folder);
  EXPECT_TRUE(atomic_create(folder.file("f"), as_bytes("ours"), FileAccess::secret, calls)
                  .error()
                  .is(kFileExists));
  EXPECT_EQ(folder.text("f"), "the rival's");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
}

TEST(AtomicCreate, whichever_call_fails_nothing_is_left) {
  for (int n = 1;; ++n) {
    const TemporaryFolder folder;
    FailingCalls calls(n, From::that_one, ENOSPC);
    const auto result =
        atomic_create(folder.file("f"), as_bytes("content"), FileAccess::secret, calls);
    if (!calls.struck()) break;
    EXPECT_EQ(folder.text("f"), result.ok() ? "content" : "(none)") << n;
    EXPECT_TRUE(!result.ok() || calls.unlink_failed()) << n;
  }
}

// Otherwise a power cut after the change of names could leave an empty file under the good one.
TEST(AtomicWrite, the_content_is_on_the_disk_before_the_name_and_the_name_before_it_returns) {
  class Recorder final : public FileCalls {
   public:
    int fsync(int fd) override {
      calls += "sync ";
      return FileCalls::fsync(fd);
    }
    int exchange(const char* one, const char* other) override {
      calls += "exchange ";
      return FileCalls::exchange(one, other);
    }
    std::string calls;
  };
  const TemporaryFolder folder;
  folder.put("f", "old");
  Recorder recorder;
  ASSERT_TRUE(atomic_write(folder.file("f"), as_bytes("new"), FileAccess::secret, recorder).ok());
  EXPECT_EQ(recorder.calls, "sync exchange sync ");
}

// Where "/" is no mount of its own, as in a plain chroot, no mount can be made private.
bool mounts_can_be_private() {
  bool can = false;
  std::thread([&can] {
    can = ::unshare(CLONE_NEWNS) == 0 &&
          ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  }).join();
  return can;
}

TEST(AtomicWrite, a_full_disk_leaves_the_old_file) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting a small disk needs root";
  if (!mounts_can_be_private()) GTEST_SKIP() << "no private mounts can be made here";
  const TemporaryFolder folder;
  std::thread([&] {
    // A mount of this thread alone, which goes with it.
    ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k"), 0);
    ASSERT_TRUE(atomic_write(folder.file("f"), as_bytes("old"), FileAccess::secret).ok());
    const ByteVector large(256 * 1024);
    EXPECT_TRUE(atomic_write(folder.file("f"), large, FileAccess::secret).error().is(kDiskFull));
    EXPECT_EQ(folder.text("f"), "old");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"f"});
  }).join();
}

}  // namespace
}  // namespace karst::platform
