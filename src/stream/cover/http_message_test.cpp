#include "stream/cover/http_message.h"

#include <gtest/gtest.h>

namespace karst::stream::cover {
namespace {

TEST(HeaderList, names_are_kept_in_lower_case_and_in_order) {
  HeaderList headers;
  headers.put("X-One", "1");
  headers.put("ETag", "\"a\"");
  headers.put("x-one", "2");
  std::string seen;
  for (const Header& header : headers) seen += header.name + "=" + header.value + ";";
  EXPECT_EQ(seen, "x-one=1;etag=\"a\";x-one=2;");
  EXPECT_EQ(headers.find("x-one"), "1");
  EXPECT_EQ(headers.count("x-one"), 2u);
  EXPECT_EQ(headers.find("x-two"), std::nullopt);
}

TEST(HeaderList, takes_exactly_as_many_bytes_as_it_was_given) {
  for (std::size_t value : {95u, 96u, 97u}) {
    HeaderList headers(100);
    EXPECT_EQ(headers.add("name", std::string(value, 'v')), value <= 96) << value;
  }
}

TEST(HeaderList, a_removed_header_makes_room_again) {
  HeaderList headers(10);
  ASSERT_TRUE(headers.add("name", "123456"));
  EXPECT_FALSE(headers.add("n", ""));
  headers.remove("name");
  EXPECT_TRUE(headers.add("name", "123456"));
}

TEST(HeaderList, takes_exactly_kHeadersMax_headers) {
  HeaderList headers;
  for (std::size_t i = 0; i < kHeadersMax; ++i) ASSERT_TRUE(headers.add("n", "v"));
  EXPECT_FALSE(headers.add("n", "v"));
}

TEST(HeaderList, a_token_is_found_whole_in_any_of_the_lists_in_any_case) {
  HeaderList headers;
  headers.put("connection", "keep-alive , Upgrade");
  headers.put("connection", "\tclose");
  for (std::string_view token : {"upgrade", "Keep-Alive", "close"}) {
    EXPECT_TRUE(headers.has_token("connection", token)) << token;
  }
  for (std::string_view token : {"up", "alive", "closed", ""}) {
    EXPECT_FALSE(headers.has_token("connection", token)) << token;
  }
}

TEST(HeaderTitle, is_how_http11_customarily_writes_a_name) {
  EXPECT_EQ(header_title("content-type"), "Content-Type");
  EXPECT_EQ(header_title("etag"), "ETag");
  EXPECT_EQ(header_title("www-authenticate"), "WWW-Authenticate");
  EXPECT_EQ(header_title("sec-websocket-accept"), "Sec-WebSocket-Accept");
  EXPECT_EQ(header_title("date"), "Date");
}

TEST(ReasonPhrase, is_known_for_every_status_we_send) {
  for (int status :
       {101, 200, 206, 301, 304, 400, 403, 404, 405, 412, 413, 414, 416, 431, 501, 502, 504, 505}) {
    EXPECT_NE(reason_phrase(status), "") << status;
  }
  EXPECT_EQ(reason_phrase(599), "");
}

}  // namespace
}  // namespace karst::stream::cover
