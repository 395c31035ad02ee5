#include "app/settings_file.h"

#include "app/server_address.h"
#include "app/toml_section.h"
#include "crypto/base64.h"
#include "wire/limits.h"

namespace karst::app {
namespace {

using Problem = TomlSection::Problem;

const std::vector<std::string_view> kPolicyNames = {"extreme", "brisk", "normal", "soft",
                                                    "ultimate"};
constexpr keys::EpochPolicy kPolicies[] = {keys::kExtreme, keys::kBrisk, keys::kNormal,
                                           keys::kSoft};
constexpr std::size_t kUltimate = 4;

template <class T>
struct File {
  T settings;
  std::vector<std::string> names;
};

void remember(std::vector<std::string>& names, std::string_view section, const TomlSection& from) {
  for (const std::string& key : from.known()) names.push_back(std::string(section) + "." + key);
}

std::optional<keys::EpochPolicy> read_custom(TomlSection& section) {
  TomlSection custom = section.table("policy_custom");
  if (!custom.present()) return std::nullopt;
  const auto bytes = custom.integer("epoch_bytes", keys::kEpochBytesMin, keys::kEpochBytesMax);
  const auto frames = custom.integer("epoch_frames", 1, keys::kEpochFramesMaxStream);
  const auto active = custom.integer("epoch_active_ms", 1, keys::kEpochActiveMsMax);
  custom.finish();
  if (!bytes || !frames || !active) {
    custom.refuse_section("needs all of epoch_bytes, epoch_frames and epoch_active_ms");
    return std::nullopt;
  }
  return keys::EpochPolicy{static_cast<std::uint64_t>(*bytes), static_cast<std::uint64_t>(*frames),
                           static_cast<std::uint32_t>(*active)};
}

LinkSettings read_link(TomlSection& section) {
  LinkSettings link;
  const auto policy = section.choice("policy", kPolicyNames);
  const auto custom = read_custom(section);
  if (policy == kUltimate) {
    if (custom) {
      link.policy = *custom;
    } else {
      section.refuse("policy",
                     "\"ultimate\" needs policy_custom = { epoch_bytes = ..., "
                     "epoch_frames = ..., epoch_active_ms = ... }");
    }
  } else if (custom) {
    section.refuse("policy_custom", "is only read with policy = \"ultimate\"");
  } else if (policy) {
    link.policy = kPolicies[*policy];
  }
  const std::vector<std::string_view> floors(kPolicyNames.begin(), kPolicyNames.end() - 1);
  if (const auto floor = section.choice("policy_floor", floors)) {
    link.policy_floor = kPolicies[*floor];
  }
  if (keys::below_floor(link.policy, link.policy_floor)) {
    section.refuse("policy_floor", "is above the policy that this file asks for");
  }
  if (const auto window = section.word_or_integer("rekey_window", "auto", keys::kRekeyWindowMin,
                                                  keys::kRekeyWindowMax)) {
    if (window->value) link.rekey_window = static_cast<std::uint16_t>(*window->value);
  }
  return link;
}

LimitSettings read_limits(TomlSection section, bool server, std::vector<std::string>& names) {
  LimitSettings limits;
  constexpr std::uint64_t kMax = 1ull << 34;
  // The smallest are what a peer may send unasked.
  if (const auto v = section.bytes("stream_window", 1 << 20, kMax)) limits.stream_window = *v;
  if (const auto v = section.bytes("link_window", 4 << 20, kMax)) limits.link_window = *v;
  if (const auto v = section.bytes("memory", 16 << 20, 1ull << 40)) limits.memory = *v;
  if (server) {
    if (const auto v = section.integer("connections", 1, 1'000'000)) {
      limits.connections = static_cast<std::size_t>(*v);
    }
    if (const auto v = section.integer("connections_per_address", 1, 1'000'000)) {
      limits.connections_per_address = static_cast<std::size_t>(*v);
    }
    if (const auto v = section.integer("links_per_client", 1, 1'000)) {
      limits.links_per_client = static_cast<std::size_t>(*v);
    }
    if (const auto v = section.integer("handshakes_per_second", 1, 1'000)) {
      limits.handshakes_per_second = static_cast<std::size_t>(*v);
    }
  }
  section.finish();
  remember(names, "limits", section);
  return limits;
}

LogSettings read_log(TomlSection section, std::vector<std::string>& names) {
  LogSettings log;
  if (const auto v = section.choice("level", {"debug", "info", "warning", "error"})) {
    log.level = static_cast<TraceLevel>(*v);
  }
  if (const auto v = section.choice("format", {"text", "json"})) {
    log.format = static_cast<LogFormat>(*v);
  }
  section.finish();
  remember(names, "log", section);
  return log;
}

std::vector<Endpoint> read_endpoints(TomlSection& section, std::string_view key) {
  std::vector<Endpoint> out;
  for (const std::string& text : section.texts(key)) {
    if (const auto endpoint = Endpoint::parse(text)) {
      out.push_back(*endpoint);
    } else {
      section.refuse(key, "\"" + text +
                              "\" is not an address and port, as in \"0.0.0.0:443\" or "
                              "\"[::]:443\"");
    }
  }
  return out;
}

// As many addresses as an invite carries.
void refuse_count(TomlSection& section, std::size_t count) {
  if (count >= 1 && count <= wire::kInviteAddressesMax) return;
  section.refuse("addresses", "must be a list of 1 to " +
                                  std::to_string(wire::kInviteAddressesMax) +
                                  " hosts with ports, as in [\"example.org:443\"]");
}

CoverSettings read_cover(TomlSection section, const std::filesystem::path& folder,
                         std::vector<std::string>& names) {
  CoverSettings cover;
  if (const auto root = section.text("root")) cover.root = folder / *root;
  if (const auto upstream = section.text("upstream")) {
    std::string_view rest = *upstream;
    const bool http = rest.starts_with("http://");
    if (http) rest.remove_prefix(7);
    while (rest.ends_with('/')) rest.remove_suffix(1);
    const auto endpoint = Endpoint::parse(rest);
    const bool loopback =
        endpoint && (endpoint->address.is_v4() ? endpoint->address.bytes()[0] == 127
                                               : endpoint->address == IpAddress::parse("::1"));
    if (http && loopback) {
      cover.upstream = *endpoint;
    } else {
      section.refuse("upstream",
                     "must be a loopback address and port, as in "
                     "\"http://127.0.0.1:8080\"");
    }
  }
  if (cover.root && cover.upstream) section.refuse("upstream", "cannot stand beside root");
  if (const auto path = section.text("websocket")) {
    if (path->starts_with('/') && path->find_first_of("?# ") == path->npos) {
      cover.websocket = *path;
    } else {
      section.refuse("websocket", "must be a path, as in \"/live\"");
    }
  }
  section.finish();
  remember(names, "cover", section);
  return cover;
}

void read_egress(TomlSection section, std::vector<stream::proxy::EgressRule>& out,
                 std::vector<std::string>& names) {
  using Action = stream::proxy::EgressRule::Action;
  for (const auto& [key, action] :
       {std::pair("allow", Action::allow), std::pair("deny", Action::deny)}) {
    for (const std::string& text : section.texts(key)) {
      if (const auto rule = stream::proxy::EgressRule::parse(action, text)) {
        out.push_back(*rule);
      } else {
        section.refuse(key, "\"" + text +
                                "\" is not a network, as in \"10.0.0.0/8\" or "
                                "\"10.0.0.0/8 443\"");
      }
    }
  }
  section.finish();
  remember(names, "egress", section);
}

void read_server(TomlSection root, const std::filesystem::path& folder, File<ServerSettings>& out) {
  ServerSettings& settings = out.settings;
  TomlSection server = root.table("server");
  if (!server.present()) server.refuse_section("this section is missing");
  settings.listen = read_endpoints(server, "listen");
  if (settings.listen.empty()) server.refuse("listen", "must name at least one address and port");
  settings.name = server.text("name").value_or("");
  if (!wire::valid_host(settings.name)) {
    server.refuse("name", "must be the host name of the site, as in \"www.example.org\"");
  }
  for (const std::string& text : server.texts("addresses")) {
    if (const auto address = parse_server_address(text)) {
      settings.addresses.push_back(*address);
    } else {
      server.refuse("addresses",
                    "\"" + text + "\" is not a host and port, as in \"example.org:443\"");
    }
  }
  refuse_count(server, settings.addresses.size());
  settings.certificate = folder / server.text("certificate").value_or("tls.crt");
  settings.key = folder / server.text("key").value_or("tls.key");
  settings.link = read_link(server);
  server.finish();
  remember(out.names, "server", server);
  settings.cover = read_cover(root.table("cover"), folder, out.names);
  read_egress(root.table("egress"), settings.egress, out.names);
  settings.limits = read_limits(root.table("limits"), true, out.names);
  settings.log = read_log(root.table("log"), out.names);
  root.finish();
}

void read_client(TomlSection root, const std::filesystem::path& folder, File<ClientSettings>& out) {
  ClientSettings& settings = out.settings;
  TomlSection client = root.table("client");
  if (!client.present()) client.refuse_section("this section is missing");
  const auto node = wire::NodeId::parse(client.text("server").value_or(""));
  if (node.ok()) {
    settings.server = *node;
  } else {
    client.refuse("server", "must be the server's node id, \"karst1...\"");
  }
  for (const std::string& text : client.texts("addresses")) {
    if (const auto target = stream::proxy::Target::from_authority(text)) {
      settings.addresses.push_back(*target);
    } else {
      client.refuse("addresses",
                    "\"" + text + "\" is not a host and port, as in \"example.org:443\"");
    }
  }
  refuse_count(client, settings.addresses.size());
  if (const auto pin = client.text("pin")) {
    const auto bytes = crypto::base64url_decode(*pin);
    if (bytes.ok() && bytes->size() == 32) {
      settings.pin.emplace();
      copy_bytes(*settings.pin, *bytes);
    } else {
      client.refuse("pin", "must be 43 characters of base64url, as the invite gave it");
    }
  }
  settings.websocket = client.text("websocket").value_or("/live");
  settings.link = read_link(client);
  client.finish();
  remember(out.names, "client", client);
  TomlSection proxy = root.table("proxy");
  settings.proxy_listen = read_endpoints(proxy, "listen");
  settings.proxy_user = proxy.text("user");
  if (const auto file = proxy.text("password_file")) settings.proxy_password_file = folder / *file;
  if (settings.proxy_user.has_value() != !settings.proxy_password_file.empty()) {
    proxy.refuse(settings.proxy_user ? "user" : "password_file",
                 "user and password_file go together");
  }
  proxy.finish();
  remember(out.names, "proxy", proxy);
  settings.limits = read_limits(root.table("limits"), false, out.names);
  settings.log = read_log(root.table("log"), out.names);
  root.finish();
}

std::string located(const std::filesystem::path& file, const toml::source_position& at,
                    const std::string& text) {
  return file.string() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
         text;
}

template <class T, class Read>
SettingsResult<T> parse(std::string_view text, const std::filesystem::path& file, Read read) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return std::unexpected(
        SettingsError{located(file, error.source().begin, std::string(error.description()))});
  }
  std::optional<Problem> problem;
  File<T> out;
  read(TomlSection(&table, "", problem), file.parent_path(), out);
  if (problem) return std::unexpected(SettingsError{located(file, problem->at, problem->text)});
  return std::move(out.settings);
}

template <class T, class Read>
std::vector<std::string> names(Read read) {
  const toml::table empty;
  std::optional<Problem> problem;
  File<T> out;
  read(TomlSection(&empty, "", problem), {}, out);
  return out.names;
}

}  // namespace

SettingsResult<ServerSettings> parse_server_settings(std::string_view text,
                                                     const std::filesystem::path& file) {
  return parse<ServerSettings>(text, file, read_server);
}

SettingsResult<ClientSettings> parse_client_settings(std::string_view text,
                                                     const std::filesystem::path& file) {
  return parse<ClientSettings>(text, file, read_client);
}

std::vector<std::string> server_setting_names() { return names<ServerSettings>(read_server); }
std::vector<std::string> client_setting_names() { return names<ClientSettings>(read_client); }

}  // namespace karst::app
