#include "stream/cover/static_site.h"

#include <gtest/gtest.h>

#include "stream/cover/builtin_site.h"

namespace karst::stream::cover {
namespace {

constexpr Moment kMoment{TimePoint(std::chrono::seconds(1000)), {784'111'777}};
constexpr std::string_view kDate = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr UnixTime kModified{784'000'000};
constexpr std::string_view kLastModified = "Sat, 05 Nov 1994 01:46:40 GMT";
constexpr std::string_view kTag = "\"2ebae400-64\"";

FileTree files() {
  const auto file = [](std::string_view text) {
    return File{to_vector(as_bytes(text)), kModified};
  };
  FileTree tree;
  tree["/index.html"] = file("<p>front</p>");
  tree["/hundred.txt"] = file(std::string(100, 'h'));
  tree["/dir/index.html"] = file("dir");
  tree["/bare/deep/x.css"] = file("x");
  tree["/a b.txt"] = file("space");
  tree["/empty.txt"] = file("");
  return tree;
}

class StaticSiteTest : public testing::Test {
 protected:
  Answer get(std::string_view path, std::vector<Header> headers = {}) {
    return ask("GET", path, std::move(headers));
  }
  Answer ask(std::string_view method, std::string_view path, std::vector<Header> headers = {}) {
    Request request;
    request.method = method;
    request.path = path;
    for (const Header& header : headers) request.headers.put(header.name, header.value);
    return site_.answer(request, kMoment);
  }
  int status(std::string_view path, std::vector<Header> headers = {}) {
    return get(path, std::move(headers)).head.status;
  }
  static std::string names(const Answer& answer) {
    std::string all;
    for (const Header& header : answer.head.headers) all += header.name + " ";
    return all;
  }
  static std::string_view header(const Answer& answer, std::string_view name) {
    return answer.head.headers.find(name).value_or("(none)");
  }

  StaticSite site_{files()};
};

TEST_F(StaticSiteTest, a_file_comes_with_the_headers_of_an_ordinary_server_in_its_order) {
  const Answer answer = get("/hundred.txt");
  EXPECT_EQ(answer.head.status, 200);
  EXPECT_EQ(as_text(answer.body), std::string(100, 'h'));
  EXPECT_EQ(names(answer), "date content-type content-length last-modified etag accept-ranges ");
  EXPECT_EQ(header(answer, "date"), kDate);
  EXPECT_EQ(header(answer, "content-type"), "text/plain");
  EXPECT_EQ(header(answer, "content-length"), "100");
  EXPECT_EQ(header(answer, "last-modified"), kLastModified);
  EXPECT_EQ(header(answer, "etag"), kTag);
  EXPECT_EQ(header(answer, "accept-ranges"), "bytes");
}

TEST_F(StaticSiteTest, a_directory_is_its_index_and_its_name_without_slash_leads_there) {
  EXPECT_EQ(as_text(get("/").body), "<p>front</p>");
  EXPECT_EQ(as_text(get("/dir/").body), "dir");
  EXPECT_EQ(as_text(get("/?q=1").body), "<p>front</p>");
  const Answer redirect = get("/dir?q=1");
  EXPECT_EQ(redirect.head.status, 301);
  EXPECT_EQ(header(redirect, "location"), "/dir/?q=1");
  EXPECT_EQ(header(get("//bare/deep"), "location"), "/bare/deep/");
}

TEST_F(StaticSiteTest, what_does_not_exist_or_may_not_be_listed_has_its_own_status) {
  EXPECT_EQ(status("/a%20b.txt"), 200);
  EXPECT_EQ(status("/nope"), 404);
  EXPECT_EQ(status("/hundred.txt/"), 404);
  EXPECT_EQ(status("/bare/"), 403);
  EXPECT_EQ(status("/bare/deep/"), 403);
  EXPECT_EQ(status("/../etc/passwd"), 400);
  EXPECT_EQ(status("/%"), 400);
}

TEST_F(StaticSiteTest, other_methods_than_get_and_head_are_told_which_are_allowed) {
  for (std::string_view method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "FOO"}) {
    const Answer answer = ask(method, "/");
    EXPECT_EQ(answer.head.status, 405) << method;
    EXPECT_EQ(header(answer, "allow"), "GET, HEAD");
  }
  EXPECT_EQ(ask("HEAD", "/").head.headers, get("/").head.headers);
}

TEST_F(StaticSiteTest, the_sites_own_page_says_what_is_not_found) {
  FileTree tree = files();
  tree["/404.html"] = File{to_vector(as_bytes("lost")), kModified};
  site_ = StaticSite(std::move(tree));
  const Answer answer = get("/nope");
  EXPECT_EQ(answer.head.status, 404);
  EXPECT_EQ(as_text(answer.body), "lost");
  EXPECT_EQ(names(answer), "date content-type content-length ");
}

TEST_F(StaticSiteTest, conditions_are_judged_as_rfc_9110_orders_them) {
  const std::string tag(kTag);
  const std::string same(kLastModified);
  const std::string earlier = "Fri, 04 Nov 1994 00:00:00 GMT";
  const std::string later = "Sun, 06 Nov 1994 00:00:00 GMT";
  struct {
    std::vector<Header> headers;
    int status;
  } const kTable[] = {
      {{{"if-none-match", tag}}, 304},
      {{{"if-none-match", "W/" + tag}}, 304},
      {{{"if-none-match", "\"x\", " + tag}}, 304},
      {{{"if-none-match", "*"}}, 304},
      {{{"if-none-match", "\"x\""}}, 200},
      {{{"if-modified-since", same}}, 304},
      {{{"if-modified-since", later}}, 304},
      {{{"if-modified-since", earlier}}, 200},
      {{{"if-modified-since", "yesterday"}}, 200},
      {{{"if-none-match", "\"x\""}, {"if-modified-since", later}}, 200},
      {{{"if-match", tag}}, 200},
      {{{"if-match", "*"}}, 200},
      {{{"if-match", "W/" + tag}}, 412},
      {{{"if-match", "\"x\""}}, 412},
      {{{"if-unmodified-since", same}}, 200},
      {{{"if-unmodified-since", earlier}}, 412},
      {{{"if-match", tag}, {"if-unmodified-since", earlier}}, 200},
      {{{"if-match", "\"x\""}, {"if-none-match", tag}}, 412},
  };
  for (const auto& row : kTable) {
    EXPECT_EQ(status("/hundred.txt", row.headers), row.status)
        << row.headers[0].name << ": " << row.headers[0].value;
  }
}

TEST_F(StaticSiteTest, an_unchanged_file_is_told_without_a_body_or_its_length) {
  const Answer answer = get("/hundred.txt", {{"if-none-match", std::string(kTag)}});
  EXPECT_TRUE(answer.body.empty());
  EXPECT_EQ(names(answer), "date last-modified etag ");
}

TEST_F(StaticSiteTest, a_part_says_which_part_it_is) {
  const Answer answer = get("/hundred.txt", {{"range", "bytes=10-19"}});
  EXPECT_EQ(answer.head.status, 206);
  EXPECT_EQ(answer.body.size(), 10u);
  EXPECT_EQ(names(answer), "date content-type content-length last-modified etag content-range ");
  EXPECT_EQ(header(answer, "content-range"), "bytes 10-19/100");
  EXPECT_EQ(header(answer, "content-length"), "10");

  const Answer beyond = get("/hundred.txt", {{"range", "bytes=100-"}});
  EXPECT_EQ(beyond.head.status, 416);
  EXPECT_EQ(header(beyond, "content-range"), "bytes */100");
}

TEST_F(StaticSiteTest, a_range_counts_only_for_get_and_only_if_its_condition_holds) {
  const Header range{"range", "bytes=0-1"};
  EXPECT_EQ(ask("HEAD", "/hundred.txt", {range}).head.status, 200);
  EXPECT_EQ(status("/hundred.txt", {range, range}), 200);
  EXPECT_EQ(status("/hundred.txt", {range, {"if-range", std::string(kTag)}}), 206);
  EXPECT_EQ(status("/hundred.txt", {range, {"if-range", std::string(kLastModified)}}), 206);
  EXPECT_EQ(status("/hundred.txt", {range, {"if-range", "\"x\""}}), 200);
  EXPECT_EQ(status("/hundred.txt", {range, {"if-range", std::string(kDate)}}), 200);
  EXPECT_EQ(status("/hundred.txt", {range, {"if-none-match", std::string(kTag)}}), 304);
}

TEST_F(StaticSiteTest, an_answer_outlives_the_site_it_came_from) {
  const Answer answer = get("/hundred.txt");
  site_ = StaticSite(FileTree());
  EXPECT_EQ(as_text(answer.body), std::string(100, 'h'));
}

TEST(BuiltinSite, every_link_in_its_pages_leads_to_one_of_its_files) {
  const FileTree tree = builtin_site(kModified);
  const StaticSite site(tree);
  for (const auto& [path, file] : tree) {
    const std::string_view text = as_text(file.body);
    for (std::string_view attribute : {"href=\"", "src=\""}) {
      for (std::size_t at = text.find(attribute); at != text.npos; at = text.find(attribute, at)) {
        at += attribute.size();
        Request request;
        request.method = "GET";
        request.path = text.substr(at, text.find('"', at) - at);
        EXPECT_EQ(site.answer(request, kMoment).head.status, 200) << path << request.path;
      }
    }
  }
  EXPECT_TRUE(tree.contains("/404.html"));
}

TEST(BuiltinSite, its_script_calls_the_socket_where_it_is) {
  const FileTree tree = builtin_site(kModified, "/talk/now");
  const std::string_view script = as_text(tree.at("/live.js").body);
  EXPECT_NE(script.find("${location.host}/talk/now`"), script.npos);
  EXPECT_EQ(script.find("/live"), script.npos);
  EXPECT_EQ(as_text(builtin_site(kModified).at("/live.js").body),
            as_text(std::ranges::find(builtin_files(), "/live.js", &EmbeddedFile::path)->body));
}

TEST(ContentType, goes_by_the_extension_in_any_case) {
  EXPECT_EQ(content_type("/index.html"), "text/html");
  EXPECT_EQ(content_type("/a/PHOTO.JPG"), "image/jpeg");
  EXPECT_EQ(content_type("/x.tar.gz"), "application/gzip");
  EXPECT_EQ(content_type("/no.ext/README"), "application/octet-stream");
  EXPECT_EQ(content_type("/x."), "application/octet-stream");
}

}  // namespace
}  // namespace karst::stream::cover
