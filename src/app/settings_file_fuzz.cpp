#include "app/settings_file.h"
#include "base/bytes.h"
#include "base/check.h"

// Whatever a file holds, it is refused with its name in front, or its values keep what the types
// promise.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  using namespace karst::app;
  const std::string_view text = as_text({data, size});
  if (const auto server = parse_server_settings(text, "/etc/karst/server.toml")) {
    CHECK(!server->listen.empty() && !server->addresses.empty() && !server->name.empty());
    CHECK(!(server->cover.root && server->cover.upstream));
    CHECK(!keys::below_floor(server->link.policy, server->link.policy_floor));
    CHECK(server->certificate.is_absolute() && server->key.is_absolute());
  } else {
    CHECK(server.error().message.starts_with("/etc/karst/server.toml:"));
  }
  if (const auto client = parse_client_settings(text, "/etc/karst/client.toml")) {
    CHECK(!client->addresses.empty());
    CHECK(!keys::below_floor(client->link.policy, client->link.policy_floor));
    CHECK(client->proxy_user.has_value() == !client->proxy_password_file.empty());
  } else {
    CHECK(client.error().message.starts_with("/etc/karst/client.toml:"));
  }
  return 0;
}
