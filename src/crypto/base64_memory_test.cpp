// A sanitizer has its own operator delete: this test replaces it, so it belongs to the plain build
// only.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>

#include "crypto/base64.h"
#include "crypto/freed_memory_for_test.h"

namespace karst::crypto {
namespace {

// How often pieces of `text`, or of what it stands for, were left in memory by a decoding that
// fails.
int left_behind(const std::string& text, std::string_view piece) {
  found = 0;
  watched = piece;
  const bool decoded = base64url_decode(text).ok();
  watched = {};
  EXPECT_FALSE(decoded) << text;
  return found;
}

TEST(Base64Memory, a_mistyped_secret_leaves_nothing_behind) {
  const std::string_view secret = "a secret of which no copy may stay behind, in any form";
  const std::string good = base64url(as_bytes(secret));
  ASSERT_EQ(good.size() % 4, 0u);
  const std::string_view encoded_piece = std::string_view(good).substr(16, 32);
  const std::string_view plain_piece = secret.substr(12, 24);
  for (const char wrong : {'+', '=', '!', '\n'}) {
    std::string bad = good;
    bad.back() = wrong;
    EXPECT_EQ(left_behind(bad, encoded_piece), 0) << wrong;
    EXPECT_EQ(left_behind(bad, plain_piece), 0) << wrong;
  }
  // Decodes, but is not what would be written: the unused bits are not zero.
  std::string loose = good.substr(0, good.size() - 2);
  loose.back() = loose.back() == '_' ? '-' : '_';
  EXPECT_EQ(left_behind(loose, encoded_piece), 0);
  EXPECT_EQ(left_behind(loose, plain_piece), 0);
}

TEST(Base64Memory, a_good_secret_is_only_in_what_is_returned) {
  for (const std::size_t cut : {0u, 1u, 2u}) {
    const std::string_view secret = "a secret of which no copy may stay behind, in any form";
    const ByteVector bytes = to_vector(as_bytes(secret.substr(cut)));
    const std::string text = base64url(bytes);
    const std::string encoded_piece = text.substr(16, 32);
    for (const std::string_view piece : {std::string_view(encoded_piece), secret.substr(12, 24)}) {
      found = 0;
      watched = piece;
      const auto decoded = base64url_decode(text);
      watched = {};
      ASSERT_TRUE(decoded.ok());
      EXPECT_EQ(*decoded, bytes);
      EXPECT_EQ(found, 0) << "without " << cut;
    }
  }
}

TEST(Base64Memory, the_watch_sees_what_is_left) {
  const std::string_view text = "words that are not wiped at all";
  watched = text;
  found = 0;
  {
    const std::string copy(text);
  }
  watched = {};
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace karst::crypto

#endif
