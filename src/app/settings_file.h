#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/settings.h"

namespace karst::app {

// What is wrong with a configuration file, for a person: "server.toml:4:3: ...". One sentence that
// says what to do.
struct SettingsError {
  std::string message;
};
template <class T>
using SettingsResult = std::expected<T, SettingsError>;

// `file` is the path to name in messages; relative paths inside are taken relative to its folder.
// Unknown keys and sections, wrong types and values out of range are errors with line and column;
// an unknown key comes with the nearest valid name.
SettingsResult<ServerSettings> parse_server_settings(std::string_view text,
                                                     const std::filesystem::path& file);
SettingsResult<ClientSettings> parse_client_settings(std::string_view text,
                                                     const std::filesystem::path& file);

// Every key that a file may hold, "section.key", for documentation and its test.
std::vector<std::string> server_setting_names();
std::vector<std::string> client_setting_names();

}  // namespace karst::app
