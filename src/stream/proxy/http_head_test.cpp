#include "stream/proxy/http_head.h"

#include <gtest/gtest.h>

#include <string>

#include "stream/proxy/limits.h"

namespace karst::stream::proxy {
namespace {

using Status = HttpReader::Status;

std::string held(const ByteQueue& queue) {
  std::string out(queue.size(), '\0');
  queue.copy_out(0, {reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  return out;
}

TEST(HttpReader, a_head_is_taken_apart_and_the_body_left) {
  HttpReader reader(HttpReader::Kind::request);
  const std::string text =
      "POST http://a/b HTTP/1.0\r\nHost: a\r\nX-Empty:\r\nx:  y z \t \r\nContent-Length: 3\r\n\r\n";
  const auto progress = reader.read_head(as_bytes(text + "abc"));
  EXPECT_EQ(progress.status, Status::head);
  EXPECT_EQ(progress.taken, text.size());
  const HttpHead& head = reader.head();
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.url, "http://a/b");
  EXPECT_EQ(head.version_major, 1u);
  EXPECT_EQ(head.version_minor, 0u);
  std::string fields;
  for (const auto& field : head.fields) fields += field.name + "=" + field.value + ";";
  EXPECT_EQ(fields, "Host=a;X-Empty=;x=y z;Content-Length=3;");
  EXPECT_EQ(reader.content_length(), 3u);
}

TEST(HttpReader, a_response_has_a_status_and_a_reason) {
  HttpReader reader(HttpReader::Kind::response);
  EXPECT_EQ(reader.read_head(as_bytes("HTTP/1.1 404 Not Found\r\nA: b\r\n\r\nbody")).status,
            Status::head);
  EXPECT_EQ(reader.head().status, 404u);
  EXPECT_EQ(reader.head().reason, "Not Found");
}

TEST(HttpReader, a_body_is_framed_anew_and_ends_where_it_ends) {
  const struct {
    const char* framing;
    std::string body;  // followed by "XX"
    std::string out;
  } cases[] = {
      {"", "", ""},
      {"Content-Length: 0\r\n", "", ""},
      {"Content-Length: 5\r\n", "abcde", "abcde"},
      {"Transfer-Encoding: chunked\r\n", "0\r\n\r\n", "0\r\n\r\n"},
      {"Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n"},
      {"Transfer-Encoding: chunked\r\n",
       "0003;ext=\"1\"\r\nabc\r\nA\r\n0123456789\r\n00\r\nTrailer: x\r\n\r\n",
       "3\r\nabc\r\na\r\n0123456789\r\n0\r\n\r\n"},
      {"Transfer-Encoding: gzip, chunked\r\n", "1\r\nz\r\n0\r\n\r\n", "1\r\nz\r\n0\r\n\r\n"},
  };
  for (const auto& c : cases) {
    HttpReader reader(HttpReader::Kind::request);
    ASSERT_EQ(
        reader.read_head(as_bytes(std::string("POST / HTTP/1.1\r\n") + c.framing + "\r\n")).status,
        Status::head);
    ByteQueue out;
    const auto progress = reader.read_body(as_bytes(c.body + "XX"), out);
    EXPECT_EQ(progress.status, Status::complete) << c.body;
    EXPECT_EQ(progress.taken, c.body.size()) << c.body;
    EXPECT_EQ(held(out), c.out);
  }
}

TEST(HttpReader, a_trailer_is_no_field_of_the_head) {
  HttpReader reader(HttpReader::Kind::request);
  reader.read_head(as_bytes("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"));
  ByteQueue out;
  reader.read_body(as_bytes("0\r\nHost: evil\r\n\r\n"), out);
  EXPECT_EQ(reader.head().fields.size(), 1u);
}

TEST(HttpReader, a_head_of_32_KiB_is_taken_and_a_byte_more_is_too_large) {
  const std::string start = "GET http://a/ HTTP/1.1\r\nHost: a\r\nX: ";
  const std::string end = "\r\n\r\n";
  for (const std::size_t length :
       {kHttpHeadBytesMax - 1, kHttpHeadBytesMax, kHttpHeadBytesMax + 1}) {
    const std::string text = start + std::string(length - start.size() - end.size(), 'x') + end;
    ASSERT_EQ(text.size(), length);
    const Status expected = length <= kHttpHeadBytesMax ? Status::head : Status::too_large;
    HttpReader whole(HttpReader::Kind::request);
    EXPECT_EQ(whole.read_head(as_bytes(text + "body")).status, expected) << length;
    HttpReader halves(HttpReader::Kind::request);
    ASSERT_EQ(halves.read_head(as_bytes(text).first(20000)).status, Status::more);
    EXPECT_EQ(halves.read_head(as_bytes(text).subspan(20000)).status, expected) << length;
  }
}

TEST(HttpReader, white_space_that_is_not_kept_counts_towards_the_head) {
  HttpReader reader(HttpReader::Kind::request);
  reader.read_head(as_bytes("GET http://a/ HTTP/1.1\r\nHost:"));
  const std::string spaces(kHttpHeadBytesMax, ' ');
  EXPECT_EQ(reader.read_head(as_bytes(spaces)).status, Status::too_large);
}

TEST(HttpReader, what_two_readers_could_read_differently_is_refused) {
  const char* framings[] = {
      "Content-Length: 3\r\nContent-Length: 3\r\n",
      "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
      "Transfer-Encoding: chunked, identity\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding : chunked\r\n",
      "Transfer-Encoding:\x0b"
      "chunked\r\n",
      "Content-Length: +3\r\n",
      "Content-Length: -3\r\n",
      "Content-Length: 3, 3\r\n",
      "Content-Length: 3 3\r\n",
      "Content-Length: 0x3\r\n",
      "Content-Length:\r\n",
      "Content-Length: 18446744073709551616\r\n",
      "X: folded\r\n line\r\n",
      "X: bare\nY: line feed\r\n",
      "X: bare\rY: carriage return\r\n",
      " X: leading space\r\n",
      "No-Colon\r\n",
      ": no name\r\n",
      "X: control\x01\r\n",
  };
  for (const char* framing : framings) {
    HttpReader reader(HttpReader::Kind::request);
    const std::string text =
        std::string("POST http://a/ HTTP/1.1\r\nHost: a\r\n") + framing + "\r\nabc";
    EXPECT_EQ(reader.read_head(as_bytes(text)).status, Status::failed) << framing;
  }
  const std::string null_byte("POST http://a/ HTTP/1.1\r\nX: \0\r\n\r\n", 33);
  HttpReader reader(HttpReader::Kind::request);
  EXPECT_EQ(reader.read_head(as_bytes(null_byte)).status, Status::failed);
}

TEST(HttpReader, a_chunk_that_is_not_well_formed_is_refused) {
  const char* bodies[] = {"x\r\n",
                          "-1\r\n",
                          "3\nabc\r\n",
                          "3\r\nabcd\r\n",
                          "3\r\nabcXX",
                          "3 \r\nabc\r\n",
                          "\r\n",
                          "0x3\r\nabc\r\n",
                          "10000000000000000\r\n",
                          "3\r\nabc\n0\r\n",
                          "3\rabc\r\n0\r\n\r\n",
                          "3\r\nabc\r0\r\n\r\n"};
  for (const char* body : bodies) {
    HttpReader reader(HttpReader::Kind::request);
    reader.read_head(as_bytes("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"));
    ByteQueue out;
    EXPECT_EQ(reader.read_body(as_bytes(body), out).status, Status::failed) << body;
    EXPECT_EQ(reader.read_body(as_bytes("0\r\n\r\n"), out).status, Status::failed) << body;
  }
}

}  // namespace
}  // namespace karst::stream::proxy
