#include "stream/cover/backend_request.h"

#include <gtest/gtest.h>

namespace karst::stream::cover {
namespace {

Request request(std::string_view method, std::string_view path, std::vector<Header> headers = {}) {
  Request made;
  made.method = method;
  made.scheme = "https";
  made.authority = "example.org";
  made.path = path;
  made.client = "192.0.2.7";
  for (const Header& header : headers) made.headers.put(header.name, header.value);
  return made;
}

std::string formatted(const Request& made) {
  return format_backend_request(made, "127.0.0.1:8080", "the-key").value_or("400");
}

constexpr std::string_view kForwarded =
    "X-Forwarded-For: 192.0.2.7\r\n"
    "X-Forwarded-Proto: https\r\n"
    "X-Forwarded-Host: example.org\r\n";

TEST(BackendRequest, says_what_the_client_said_and_who_the_client_is) {
  EXPECT_EQ(formatted(request("GET", "/a?b", {{"accept", "*/*"}, {"x-y", "z"}})),
            "GET /a?b HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\nX-Y: z\r\n" +
                std::string(kForwarded) + "Connection: close\r\n\r\n");
}

TEST(BackendRequest, leaves_out_what_is_for_one_connection_or_for_us_to_say) {
  const Request made = request("GET", "/",
                               {{"connection", "close, x-mine"},
                                {"x-mine", "1"},
                                {"keep-alive", "5"},
                                {"te", "trailers"},
                                {"upgrade", "h2c"},
                                {"http2-settings", "AA"},
                                {"transfer-encoding", "chunked"},
                                {"proxy-authorization", "x"},
                                {"expect", "100-continue"},
                                {"host", "other"},
                                {"content-length", "7"},
                                {"forwarded", "for=1.2.3.4"},
                                {"x-forwarded-for", "1.2.3.4"},
                                {"x-forwarded-proto", "http"},
                                {"x-forwarded-host", "evil"},
                                {"x-real-ip", "1.2.3.4"}});
  EXPECT_EQ(formatted(made), "GET / HTTP/1.1\r\nHost: example.org\r\n" + std::string(kForwarded) +
                                 "Connection: close\r\n\r\n");
}

// CGI and its children turn both hyphens and underscores into underscores: X_Forwarded_For would be
// X-Forwarded-For there, and Proxy the proxy that the backend itself is to use.
TEST(BackendRequest, leaves_out_names_that_a_backend_takes_for_others) {
  const Request made =
      request("GET", "/",
              {{"x_forwarded_for", "1.2.3.4"}, {"x_real-ip", "1.2.3.4"}, {"proxy", "http://evil"}});
  EXPECT_EQ(formatted(made), "GET / HTTP/1.1\r\nHost: example.org\r\n" + std::string(kForwarded) +
                                 "Connection: close\r\n\r\n");
}

TEST(BackendRequest, says_that_the_client_came_by_tls_whatever_it_says_itself) {
  Request made = request("GET", "/");
  made.scheme = "http";
  EXPECT_NE(formatted(made).find("\r\nX-Forwarded-Proto: https\r\n"), std::string::npos);
}

// HTTP/2 allows Host in place of :authority (RFC 9113 section 8.3.1).
TEST(BackendRequest, takes_the_host_field_where_there_is_no_authority) {
  Request made = request("GET", "/", {{"host", "other.example"}});
  made.authority.clear();
  EXPECT_NE(formatted(made).find("\r\nHost: other.example\r\n"), std::string::npos);
  EXPECT_NE(formatted(made).find("\r\nX-Forwarded-Host: other.example\r\n"), std::string::npos);
}

TEST(BackendRequest, names_the_backend_where_the_client_named_nobody) {
  Request made = request("GET", "/");
  made.authority.clear();
  EXPECT_NE(formatted(made).find("\r\nHost: 127.0.0.1:8080\r\n"), std::string::npos);
}

TEST(BackendRequest, frames_a_body_by_its_length_or_in_chunks) {
  Request made = request("POST", "/", {{"content-length", "5"}});
  made.has_body = true;
  EXPECT_EQ(body_framing(made), BodyFraming::length);
  EXPECT_NE(formatted(made).find("\r\nContent-Length: 5\r\n"), std::string::npos);
  made.headers.remove("content-length");
  EXPECT_EQ(body_framing(made), BodyFraming::chunked);
  EXPECT_NE(formatted(made).find("\r\nTransfer-Encoding: chunked\r\n"), std::string::npos);
  made.has_body = false;
  EXPECT_EQ(body_framing(made), BodyFraming::none);
}

TEST(BackendRequest, joins_the_cookies_that_http2_cut) {
  EXPECT_NE(formatted(request("GET", "/", {{"cookie", "a=1"}, {"cookie", "b=2"}}))
                .find("\r\nCookie: a=1; b=2\r\n"),
            std::string::npos);
}

TEST(BackendRequest, opens_a_socket_with_our_own_key) {
  Request made = request("CONNECT", "/live",
                         {{"sec-websocket-version", "13"},
                          {"sec-websocket-key", "theirs"},
                          {"sec-websocket-protocol", "chat"}});
  made.protocol = "websocket";
  EXPECT_EQ(formatted(made),
            "GET /live HTTP/1.1\r\nHost: example.org\r\n"
            "Sec-WebSocket-Protocol: chat\r\n" +
                std::string(kForwarded) +
                "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: the-key\r\n\r\n");
}

TEST(BackendRequest, what_would_be_two_requests_is_none) {
  Request with_body = request("POST", "/", {{"content-length", "5"}, {"content-length", "6"}});
  with_body.has_body = true;
  Request odd_length = request("POST", "/", {{"content-length", "5, 5"}});
  odd_length.has_body = true;
  Request bad_host = request("GET", "/");
  bad_host.authority = "a\r\nX: y";
  for (const Request& made :
       {request("GET /x HTTP/1.1\r\n", "/"), request("", "/"), request("GET", "/ HTTP/1.1\r\nX: y"),
        request("GET", "x"), request("GET", "*"), request("GET", "/", {{"x", "1\r\ny: 2"}}),
        request("GET", "/", {{"x", std::string("1\0", 2)}}), request("GET", "/", {{"x y", "1"}}),
        request("GET", "/", {{"", "1"}}), with_body, odd_length, bad_host}) {
    EXPECT_EQ(formatted(made), "400") << made.method << " " << made.path;
  }
  EXPECT_NE(formatted(request("OPTIONS", "*")), "400");
}

}  // namespace
}  // namespace karst::stream::cover
