#include "platform/linux/site_loader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace karst::platform {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class SiteLoader : public testing::Test {
 protected:
  SiteLoader() : root_(fs::path(testing::TempDir()) / ("site-" + std::to_string(::getpid()))) {
    fs::create_directories(root_ / "www");
  }
  ~SiteLoader() override { fs::remove_all(root_); }

  void write(const std::string& path, std::string_view text = "x") {
    const fs::path at = root_ / "www" / path;
    fs::create_directories(at.parent_path());
    std::ofstream(at, std::ios::binary) << text;
  }
  std::string folder() const { return root_ / "www"; }
  static std::vector<std::string> names(const LoadedSite& site) {
    std::vector<std::string> all;
    for (const auto& [path, file] : site.files) all.push_back(path);
    return all;
  }
  static const ErrorKind* failure(const Result<LoadedSite>& result) {
    return result.ok() ? nullptr : &result.error().kind();
  }

  fs::path root_;
};

TEST_F(SiteLoader, reads_all_files_with_their_times) {
  write("index.html", "front");
  write("img/a b.png", std::string(100'000, 'i'));
  write(".well-known/security.txt");
  const timespec times[2] = {{1000, 0}, {2000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder() + "/index.html").c_str(), times, 0), 0);

  const auto site = load_site(folder());
  ASSERT_TRUE(site.ok());
  EXPECT_THAT(names(*site),
              ElementsAre("/.well-known/security.txt", "/img/a b.png", "/index.html"));
  EXPECT_EQ(as_text(site->files.at("/index.html").body), "front");
  EXPECT_EQ(site->files.at("/index.html").modified.seconds, 2000);
  EXPECT_EQ(site->files.at("/img/a b.png").body, ByteVector(100'000, 'i'));
  EXPECT_TRUE(site->left_out.empty());
}

TEST_F(SiteLoader, leaves_out_what_could_lead_outside_or_was_not_meant_to_be_seen) {
  write("index.html");
  std::ofstream(root_ / "secret") << "secret";
  fs::create_symlink("../secret", root_ / "www" / "link");
  fs::create_symlink("index.html", root_ / "www" / "inner");
  fs::create_directory_symlink("..", root_ / "www" / "up");
  write(".git/config");
  write("bad\nname");
  ASSERT_EQ(::mkfifo((folder() + "/pipe").c_str(), 0600), 0);

  const auto site = load_site(folder());
  ASSERT_TRUE(site.ok());
  EXPECT_THAT(names(*site), ElementsAre("/index.html"));
  EXPECT_THAT(site->left_out, ElementsAre("/.git: hidden", "/: a name with control characters",
                                          "/inner: a symbolic link", "/link: a symbolic link",
                                          "/pipe: not a file", "/up: a symbolic link"));
}

TEST_F(SiteLoader, the_folder_itself_may_be_a_link) {
  write("index.html");
  fs::create_directory_symlink("www", root_ / "current");
  const auto site = load_site(root_ / "current");
  ASSERT_TRUE(site.ok());
  EXPECT_THAT(names(*site), ElementsAre("/index.html"));
}

TEST_F(SiteLoader, a_file_at_its_limit_is_read_and_one_above_is_left_out) {
  for (std::size_t size : {99u, 100u, 101u}) write(std::to_string(size), std::string(size, 'x'));
  const auto site = load_site(folder(), {.file_bytes = 100});
  ASSERT_TRUE(site.ok());
  EXPECT_THAT(names(*site), ElementsAre("/100", "/99"));
  EXPECT_THAT(site->left_out, ElementsAre("/101: too large"));
}

TEST_F(SiteLoader, the_whole_has_its_limits_too) {
  write("a/1", "12345");
  write("a/2", "12345");
  EXPECT_EQ(failure(load_site(folder(), {.total_bytes = 9})), &kSiteTooLarge);
  EXPECT_EQ(failure(load_site(folder(), {.total_bytes = 10})), nullptr);
  EXPECT_EQ(failure(load_site(folder(), {.files = 1})), &kSiteTooMany);
  EXPECT_EQ(failure(load_site(folder(), {.files = 2})), nullptr);
  EXPECT_EQ(failure(load_site(folder(), {.depth = 0})), &kSiteTooMany);
  EXPECT_EQ(failure(load_site(folder(), {.depth = 1})), nullptr);
}

TEST_F(SiteLoader, a_folder_that_is_not_there_is_an_error_with_its_cause) {
  const auto site = load_site(folder() + "/nope");
  ASSERT_EQ(failure(site), &kSiteUnreadable);
  EXPECT_EQ(site.error().detail(), ENOENT);
}

}  // namespace
}  // namespace karst::platform
