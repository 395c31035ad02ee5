#include "lab/report.h"

#include <algorithm>
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

// "</script>" inside the data would end it; "<\/" means the same in JSON.
void append_escaped(std::string& out, const std::string& line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    out += line[i];
    if (line[i] == '<' && i + 1 < line.size() && line[i + 1] == '/') out += '\\';
  }
}

std::optional<std::string> write_page(const std::string& folder, std::string_view name) {
  std::ifstream in(ResultsFile::path_in(folder));
  if (!in) return "cannot read " + ResultsFile::path_in(folder);
  std::string data;
  for (std::string line; std::getline(in, line);) {
    if (!data.empty()) data += ",\n";
    append_escaped(data, line);
  }
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
  return write_page(folder, "/gate.html");
}

std::optional<std::string> write_comparison_report(const std::string& folder) {
  return write_page(folder, "/compare.html");
}

}  // namespace karst::lab
