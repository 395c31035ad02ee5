#include "stream/proxy/http_rewrite.h"

#include <gtest/gtest.h>

#include <string>

namespace karst::stream::proxy {
namespace {

std::string held(const ByteQueue& queue) {
  std::string out(queue.size(), '\0');
  queue.copy_out(0, {reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  return out;
}

std::string forwarded(std::string_view url, std::vector<HttpField> fields, unsigned minor = 1) {
  HttpHead head{.method = "GET",
                .url = std::string(url),
                .status = 0,
                .reason = {},
                .version_major = 1,
                .version_minor = minor,
                .fields = std::move(fields)};
  ByteQueue out;
  append_forwarded_request(head, *parse_absolute_url(url, head.method), out);
  return held(out);
}

std::string answered(unsigned status, std::vector<HttpField> fields, unsigned minor = 1) {
  HttpHead head{.method = {},
                .url = {},
                .status = status,
                .reason = "Why",
                .version_major = 1,
                .version_minor = minor,
                .fields = std::move(fields)};
  ByteQueue out;
  append_forwarded_response(head, out);
  return held(out);
}

TEST(HttpRewrite, an_absolute_url_gives_authority_and_origin_form) {
  const struct {
    const char* url;
    const char* method;
    const char* authority;  // nullptr: refused
    const char* origin_form;
  } cases[] = {
      {"http://a/b?c", "GET", "a", "/b?c"},
      {"HTTP://A:81/", "GET", "A:81", "/"},
      {"http://a", "GET", "a", "/"},
      {"http://a", "OPTIONS", "a", "*"},
      {"http://a/", "OPTIONS", "a", "/"},
      {"http://a?b/c", "GET", "a", "/?b/c"},
      {"http://a?b", "OPTIONS", "a", "/?b"},
      {"http://a//b", "GET", "a", "//b"},
      {"http://[::1]:80/x@y:z", "GET", "[::1]:80", "/x@y:z"},
      {"https://a/", "GET", nullptr, ""},
      {"ftp://a/", "GET", nullptr, ""},
      {"/b", "GET", nullptr, ""},
      {"*", "OPTIONS", nullptr, ""},
      {"http:/a", "GET", nullptr, ""},
      {"http://user@a/", "GET", nullptr, ""},
      {"http://a/#b", "GET", nullptr, ""},
      {"http://a#@b/", "GET", nullptr, ""},
  };
  for (const auto& c : cases) {
    const auto url = parse_absolute_url(c.url, c.method);
    ASSERT_EQ(url.has_value(), c.authority != nullptr) << c.url;
    if (!url) continue;
    EXPECT_EQ(url->authority, c.authority) << c.url;
    EXPECT_EQ(url->origin_form, c.origin_form) << c.url;
  }
}

TEST(HttpRewrite, host_is_replaced_and_hop_by_hop_fields_are_removed) {
  EXPECT_EQ(forwarded("http://a.example:81/x", {{"Host", "evil"},
                                                {"Accept", "*/*"},
                                                {"Proxy-Connection", "keep-alive"},
                                                {"Proxy-Authorization", "Basic x"},
                                                {"proxy-anything", "y"},
                                                {"Connection", "Keep-Alive, X-Private ,x-other"},
                                                {"x-private", "1"},
                                                {"X-Other", "2"},
                                                {"X-Public", "3"},
                                                {"Keep-Alive", "timeout=5"},
                                                {"TE", "trailers"},
                                                {"Trailer", "X"},
                                                {"Upgrade", "h2c"},
                                                {"Cookie", "a=b"}}),
            "GET /x HTTP/1.1\r\nHost: a.example:81\r\nAccept: */*\r\nX-Public: 3\r\nCookie: a=b\r\n"
            "Connection: close\r\n\r\n");
}

TEST(HttpRewrite, connection_cannot_take_away_what_frames_the_body) {
  EXPECT_EQ(forwarded("http://a/", {{"Connection", "content-length, transfer-encoding, host"},
                                    {"Content-Length", "3"},
                                    {"Transfer-Encoding", "chunked"}}),
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n"
            "Connection: close\r\n\r\n");
}

TEST(HttpRewrite, the_version_stays_what_the_sender_can_read) {
  EXPECT_EQ(forwarded("http://a/", {}, 0),
            "GET / HTTP/1.0\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(answered(200, {}, 0), "HTTP/1.0 200 Why\r\nConnection: close\r\n\r\n");
}

TEST(HttpRewrite, a_response_says_that_the_connection_ends_with_it) {
  EXPECT_EQ(
      answered(200, {{"Connection", "keep-alive, X-Hop"},
                     {"X-Hop", "1"},
                     {"Keep-Alive", "timeout=5"},
                     {"Proxy-Authenticate", "Basic"},
                     {"Upgrade", "h2"},
                     {"Trailer", "X-Sum"},
                     {"Transfer-Encoding", "chunked"},
                     {"Set-Cookie", "a=b"},
                     {"Set-Cookie", "c=d"}}),
      "HTTP/1.1 200 Why\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=b\r\n"
      "Set-Cookie: c=d\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(answered(103, {{"Link", "</a>"}, {"Connection", "close"}}),
            "HTTP/1.1 103 Why\r\nLink: </a>\r\n\r\n");
}

TEST(HttpRewrite, an_own_answer_has_a_line_of_text_but_not_for_head) {
  const std::string head =
      "HTTP/1.1 502 Bad Gateway\r\nA: b\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
      "Connection: close\r\n\r\n";
  ByteQueue get, of_head;
  append_own_response(502, "A: b\r\n", "text", false, get);
  append_own_response(502, "A: b\r\n", "text", true, of_head);
  EXPECT_EQ(held(get), head + "text\n");
  EXPECT_EQ(held(of_head), head);
}

}  // namespace
}  // namespace karst::stream::proxy
