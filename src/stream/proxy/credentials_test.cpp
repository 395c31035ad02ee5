#include "stream/proxy/credentials.h"

#include <gtest/gtest.h>

#include <string>

#include "stream/proxy/error.h"

namespace karst::stream::proxy {
namespace {

bool matches(const Credentials& credentials, std::string_view user, std::string_view password) {
  return credentials.match(as_bytes(user), as_bytes(password));
}

TEST(Credentials, match_exactly_their_user_and_password) {
  const auto alice = *Credentials::make("alice", "s3cret:pass");
  EXPECT_TRUE(matches(alice, "alice", "s3cret:pass"));
  EXPECT_FALSE(matches(alice, "alice", "s3cret:pas"));
  EXPECT_FALSE(matches(alice, "alice", "s3cret:pass "));
  EXPECT_FALSE(matches(alice, "Alice", "s3cret:pass"));
  EXPECT_FALSE(matches(alice, "alic", "es3cret:pass"));
  EXPECT_FALSE(matches(alice, "", ""));
}

TEST(Credentials, match_the_basic_token_of_rfc_7617) {
  // The example of RFC 7617 section 2.
  const auto aladdin = *Credentials::make("Aladdin", "open sesame");
  EXPECT_TRUE(aladdin.match_basic("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
  EXPECT_TRUE(aladdin.match_basic("bASIC   QWxhZGRpbjpvcGVuIHNlc2FtZQ== "));
  const std::string_view wrong[] = {"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=",
                                    "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ",
                                    "BasicQWxhZGRpbjpvcGVuIHNlc2FtZQ==",
                                    "Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
                                    "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
                                    "Basic Aladdin:open sesame",
                                    "Basic ",
                                    "Basic",
                                    ""};
  for (const auto& value : wrong) EXPECT_FALSE(aladdin.match_basic(value)) << value;
}

TEST(Credentials, are_1_to_255_bytes_each_without_control_characters) {
  const std::string longest(255, 'x'), too_long(256, 'x');
  EXPECT_TRUE(Credentials::make("u", "p").ok());
  EXPECT_TRUE(Credentials::make(longest, longest).ok());
  EXPECT_TRUE(Credentials::make("u", "p:q \xc3\xa9").ok());
  const std::pair<std::string, std::string> wrong[] = {
      {"", "p"},    {"u", ""},    {too_long, "p"}, {"u", too_long},
      {"u:v", "p"}, {"u\n", "p"}, {"u", "p\x7f"}};
  for (const auto& [user, password] : wrong) {
    const auto result = Credentials::make(user, password);
    ASSERT_FALSE(result.ok()) << user;
    EXPECT_TRUE(result.error().is(kCredentialsOutOfRange));
  }
}

}  // namespace
}  // namespace karst::stream::proxy
