#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "app/settings_file.h"

using namespace karst::app;

namespace {

// The settings that a chapter of docs/operations.md describes: its table rows "| `section.key` |".
std::set<std::string> documented(const std::string& chapter) {
  std::ifstream document(std::string(KARST_SOURCE_DIR) + "/docs/operations.md");
  EXPECT_TRUE(document.is_open());
  std::set<std::string> out;
  bool inside = false;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("#")) inside = line == "### " + chapter;
    if (!inside || !line.starts_with("| `")) continue;
    out.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return out;
}

std::set<std::string> as_set(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

TEST(Operations, the_document_describes_the_settings_of_a_server_and_no_others) {
  EXPECT_EQ(documented("server.toml"), as_set(server_setting_names()));
}

TEST(Operations, the_document_describes_the_settings_of_a_client_and_no_others) {
  EXPECT_EQ(documented("client.toml"), as_set(client_setting_names()));
}

}  // namespace
