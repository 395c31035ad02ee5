#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/invite.h"

// Where clients reach a server, as people write it: "example.org:443", "192.0.2.1:443",
// "[2001:db8::1]:443".
namespace karst::app {

std::optional<wire::ServerAddress> parse_server_address(std::string_view text);
std::string format_server_address(const wire::ServerAddress& address);

}  // namespace karst::app
