#include "lab/report.h"

#include <algorithm>
#include <expected>
#include <fstream>

#include "base/check.h"
#include "lab/page_files.h"
#include "lab/results_file.h"

namespace karst::lab {
namespace {

constexpr std::string_view kPlace = "type=\"application/json\">[]<";

std::string_view template_page(std::string_view name) {
  const auto files = page_files();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::path);
  CHECK(found != files.end());
  return as_text(found->body);
}

// Neither "</script>" nor "<!--" inside the data may mean anything to HTML.
void append_escaped(std::string& out, const std::string& line) {
  for (const char c : line) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
}

// The lines of results.jsonl as members of a JSON array.
std::expected<std::string, std::string> read_lines(const std::string& folder) {
  std::ifstream in(ResultsFile::path_in(folder));
  if (!in) return std::unexpected("cannot read " + ResultsFile::path_in(folder));
  std::string data;
  for (std::string line; std::getline(in, line) && !in.eof();) {  // a torn last line is left out
    if (!data.empty()) data += ",\n";
    append_escaped(data, line);
  }
  return data;
}

std::optional<std::string> write_page(const std::string& folder, const std::string& data,
                                      std::string_view name) {
  std::string page(template_page(name));
  const std::size_t place = page.find(kPlace);
  CHECK(place != std::string::npos);
  page.insert(place + kPlace.size() - 2, data);
  const std::string path = folder + "/report.html";
  std::ofstream out(path, std::ios::trunc);
  out << page << std::flush;
  if (!out) return "cannot write " + path;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> write_report(const std::string& folder) {
  auto data = read_lines(folder);
  if (!data) return data.error();
  const bool comparison = data->find("\"kind\":\"peer\"") != data->npos;
  return write_page(folder, *data, comparison ? "/compare.html" : "/gate.html");
}

}  // namespace karst::lab
