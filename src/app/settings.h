#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"
#include "base/trace.h"
#include "keys/policy.h"
#include "stream/proxy/egress_policy.h"
#include "stream/proxy/target.h"
#include "wire/invite.h"
#include "wire/node_id.h"

// What the configuration files say, as values that cannot be wrong; app/settings_file.h reads them.
namespace karst::app {

struct LinkSettings {
  keys::EpochPolicy policy = keys::kExtreme;
  keys::EpochPolicy policy_floor = keys::kExtreme;
  // A fixed depth, or nothing for "auto".
  std::optional<std::uint16_t> rekey_window;
  // HTTP/2 credit of the tunnel in bytes, to plant a ceiling in the laboratory. No file sets it.
  std::optional<std::int32_t> lab_h2_window;
};

struct LimitSettings {
  std::uint64_t stream_window = 96ull << 20;  // bytes
  std::uint64_t link_window = 128ull << 20;   // bytes
  std::uint64_t memory = 1ull << 30;          // bytes, all links of the process together
  std::size_t connections = 4096;             // server only
  std::size_t connections_per_address = 512;  // server only; of strangers
  std::size_t links_per_client = 16;          // server only
  std::size_t handshakes_per_second = 50;     // server only
};

enum class LogFormat : std::uint8_t { text, json };
struct LogSettings {
  TraceLevel level = TraceLevel::info;  // the lowest that is written
  LogFormat format = LogFormat::text;
};

struct CoverSettings {
  // At most one of the two; neither is the built-in site.
  std::optional<std::filesystem::path> root;
  std::optional<Endpoint> upstream;  // loopback
  std::string websocket = "/live";
};

struct ServerSettings {
  std::vector<Endpoint> listen;
  std::string name;
  std::vector<wire::ServerAddress> addresses;  // what invites carry
  std::filesystem::path certificate;
  std::filesystem::path key;
  LinkSettings link;
  CoverSettings cover;
  std::vector<stream::proxy::EgressRule> egress;
  LimitSettings limits;
  LogSettings log;
};

struct ClientSettings {
  wire::NodeId server;
  std::vector<stream::proxy::Target> addresses;
  std::optional<wire::TlsPin> pin;  // nothing: public authorities
  std::string websocket = "/live";
  LinkSettings link;
  std::vector<Endpoint> proxy_listen;
  std::optional<std::string> proxy_user;
  std::filesystem::path proxy_password_file;
  LimitSettings limits;
  LogSettings log;
};

}  // namespace karst::app
