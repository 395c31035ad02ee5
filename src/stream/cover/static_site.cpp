#include "stream/cover/static_site.h"

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "stream/cover/byte_range.h"
#include "stream/cover/http_date.h"
#include "stream/cover/site_path.h"

namespace karst::stream::cover {
namespace {

// The form of nginx: time and size in hexadecimal.
std::string entity_tag(const File& file) {
  std::array<char, 64> text;
  const int length =
      std::snprintf(text.data(), text.size(), "\"%llx-%zx\"",
                    static_cast<unsigned long long>(file.modified.seconds), file.body.size());
  return {text.data(), static_cast<std::size_t>(length)};
}

// If-Match compares strongly, If-None-Match weakly (RFC 9110 section 13.1); our tags are strong.
enum class Comparison { strong, weak };

bool lists_tag(const HeaderList& headers, std::string_view name, std::string_view tag,
               Comparison comparison) {
  if (headers.has_token(name, "*") || headers.has_token(name, tag)) return true;
  return comparison == Comparison::weak && headers.has_token(name, "W/" + std::string(tag));
}

std::optional<UnixTime> date_header(const HeaderList& headers, std::string_view name,
                                    const Moment& moment) {
  const auto value = headers.find(name);
  return value ? parse_http_date(*value, moment.wall) : std::nullopt;
}

enum class Verdict { proceed, not_modified, failed };

// RFC 9110 section 13.2.2, steps 1 to 4.
Verdict preconditions(const HeaderList& headers, const File& file, const Moment& moment) {
  const std::string tag = entity_tag(file);
  if (headers.count("if-match") > 0) {
    if (!lists_tag(headers, "if-match", tag, Comparison::strong)) return Verdict::failed;
  } else if (const auto since = date_header(headers, "if-unmodified-since", moment)) {
    if (file.modified > *since) return Verdict::failed;
  }
  if (headers.count("if-none-match") > 0) {
    if (lists_tag(headers, "if-none-match", tag, Comparison::weak)) return Verdict::not_modified;
  } else if (const auto since = date_header(headers, "if-modified-since", moment)) {
    if (file.modified <= *since) return Verdict::not_modified;
  }
  return Verdict::proceed;
}

// The same section, step 5. If-Range has a tag or a date, either of which must match exactly.
ByteRange wanted_range(const Request& request, const File& file) {
  const auto range = request.headers.find("range");
  const auto condition = request.headers.find("if-range");
  if (!range || request.method != "GET" || request.headers.count("range") > 1) return {};
  if (condition && *condition != entity_tag(file) && *condition != http_date(file.modified)) {
    return {};
  }
  return parse_byte_range(*range, file.body.size());
}

Answer not_modified(const File& file, const Moment& moment) {
  Response head;
  head.status = 304;
  head.headers.put("date", http_date(moment.wall));
  head.headers.put("last-modified", http_date(file.modified));
  head.headers.put("etag", entity_tag(file));
  return {std::move(head), {}, nullptr};
}

std::string content_range(const ByteRange& range, std::size_t size) {
  return "bytes " + std::to_string(range.first) + "-" +
         std::to_string(range.first + range.length - 1) + "/" + std::to_string(size);
}

// The file, or the part of it that the range says; the caller adds the owner.
Answer file_answer(int status, std::string_view path, const File& file, const ByteRange& range,
                   const Moment& moment) {
  const bool is_part = range.kind == ByteRange::Kind::part;
  Bytes body = file.body;
  if (is_part) body = body.subspan(range.first, range.length);
  Response head = start_response(status, content_type(path), body.size(), moment);
  head.headers.put("last-modified", http_date(file.modified));
  head.headers.put("etag", entity_tag(file));
  if (is_part) {
    head.headers.put("content-range", content_range(range, file.body.size()));
  } else {
    head.headers.put("accept-ranges", "bytes");
  }
  return {std::move(head), body, nullptr};
}

bool is_directory(const FileTree& files, const std::string& path_with_slash) {
  const auto first_inside = files.lower_bound(path_with_slash);
  return first_inside != files.end() && first_inside->first.starts_with(path_with_slash);
}

Answer redirect(const std::string& directory, std::string_view query, const Moment& moment) {
  Answer answer = error_answer(301, moment);
  answer.head.headers.put("location", encode_path(directory) + std::string(query));
  return answer;
}

Answer not_found(const FileTree& files, const Moment& moment) {
  const auto page = files.find("/404.html");
  if (page == files.end()) return error_answer(404, moment);
  const Bytes body = page->second.body;
  return {start_response(404, content_type(page->first), body.size(), moment), body, nullptr};
}

}  // namespace

StaticSite::StaticSite(FileTree files)
    : files_(std::make_shared<const FileTree>(std::move(files))) {}

Answer StaticSite::answer(const Request& request, const Moment& moment) const {
  const auto shared = [&](Answer answer) {
    if (!answer.owner) answer.owner = files_;
    return answer;
  };
  const Target target = split_target(request.path);
  std::optional<std::string> path = decode_path(target.path);
  if (!path) return error_answer(400, moment);
  if (request.method != "GET" && request.method != "HEAD") {
    Answer answer = error_answer(405, moment);
    answer.head.headers.put("allow", "GET, HEAD");
    return answer;
  }
  if (path->ends_with('/')) {
    if (!is_directory(*files_, *path)) return shared(not_found(*files_, moment));
    if (!files_->contains(*path + "index.html")) return error_answer(403, moment);
    *path += "index.html";
  }
  const auto found = files_->find(*path);
  if (found == files_->end()) {
    if (is_directory(*files_, *path + "/")) return redirect(*path + "/", target.query, moment);
    return shared(not_found(*files_, moment));
  }

  const File& file = found->second;
  switch (preconditions(request.headers, file, moment)) {
    case Verdict::failed:
      return error_answer(412, moment);
    case Verdict::not_modified:
      return not_modified(file, moment);
    case Verdict::proceed:
      break;
  }
  const ByteRange range = wanted_range(request, file);
  if (range.kind == ByteRange::Kind::unsatisfiable) {
    Answer answer = error_answer(416, moment);
    answer.head.headers.put("content-range", "bytes */" + std::to_string(file.body.size()));
    return answer;
  }
  const int status = range.kind == ByteRange::Kind::part ? 206 : 200;
  return shared(file_answer(status, *path, file, range, moment));
}

}  // namespace karst::stream::cover
