#include "stream/cover/site_path.h"

#include <gtest/gtest.h>

namespace karst::stream::cover {
namespace {

// The right-hand sides were read off nginx 1.22; "400" stands for its refusal.
TEST(DecodePath, names_the_same_file_as_nginx) {
  const std::pair<std::string_view, std::string_view> kTable[] = {
      {"/", "/"},
      {"/a%20b.txt", "/a b.txt"},
      {"/dir/", "/dir/"},
      {"/dir/.", "/dir/"},
      {"/dir/..", "/"},
      {"/dir/../x", "/x"},
      {"/dir/%2e%2e/x", "/x"},
      {"/dir%2fsub/", "/dir/sub/"},
      {"//x", "/x"},
      {"/./x", "/x"},
      {"/a///b//", "/a/b/"},
      {"/...", "/..."},
      {"/a..b/.c", "/a..b/.c"},
      {"/a\\b", "/a\\b"},
      {"/%C3%A9", "/\xC3\xA9"},
      {"/%zz", "400"},
      {"/%", "400"},
      {"/%4", "400"},
      {"/%00", "400"},
      {"/%0a", "400"},
      {"/%7f", "400"},
      {"/..", "400"},
      {"/../x", "400"},
      {"/..%2f", "400"},
      {"/%2e%2e/etc/passwd", "400"},
      {"/a/../../x", "400"},
      {"x", "400"},
      {"*", "400"},
      {"", "400"},
  };
  for (const auto& [sent, name] : kTable) {
    EXPECT_EQ(decode_path(sent).value_or("400"), name) << sent;
  }
}

TEST(EncodePath, is_undone_by_decoding_for_every_byte_that_may_stand_in_a_name) {
  for (int byte = 0x20; byte < 0x100; ++byte) {
    if (byte == 0x7f || byte == '/') continue;
    const std::string name = std::string("/a") + static_cast<char>(byte) + "b/";
    const std::string encoded = encode_path(name);
    EXPECT_EQ(decode_path(encoded), name) << byte;
    EXPECT_TRUE(is_clean_target(encoded)) << byte;
  }
}

TEST(SplitTarget, cuts_at_the_first_question_mark_and_leaves_it_to_the_query) {
  EXPECT_EQ(split_target("/a?b?c").path, "/a");
  EXPECT_EQ(split_target("/a?b?c").query, "?b?c");
  EXPECT_EQ(split_target("/a").query, "");
}

TEST(CleanTarget, has_neither_spaces_nor_controls) {
  EXPECT_TRUE(is_clean_target("/a?b#c\xC3\xA9"));
  for (std::string_view target : {"/a b", "/a\tb", "/a\r\nb", "/\x7f"}) {
    EXPECT_FALSE(is_clean_target(target)) << target;
  }
}

}  // namespace
}  // namespace karst::stream::cover
