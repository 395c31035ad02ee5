#include "app/client_daemon.h"

#include <utility>

#include "app/advice.h"
#include "app/server_daemon.h"
#include "app/status_json.h"
#include "base/reader.h"
#include "platform/linux/read_file.h"

namespace karst::app {
namespace {

constexpr TraceKind kEnrolled{TraceLevel::info, "enrolled",
                              "this client is enrolled; its invite is spent"};
constexpr TraceKind kPskNotStored{
    TraceLevel::error, "psk-not-stored",
    "the new key of this client could not be written; the next start joins again"};
constexpr TraceKind kProxyListening{TraceLevel::info, "proxy-listening",
                                    "accepting SOCKS5 and HTTP proxy clients"};
constexpr TraceKind kProxyExposed{
    TraceLevel::warning, "proxy-exposed",
    "the proxy listens beyond this machine without a password: everyone who reaches it may use it"};

constexpr TraceKind kNoProxy{
    TraceLevel::warning, "no-proxy",
    "nothing can use the tunnel: client.toml has no `listen` in [proxy], as in "
    "listen = [\"127.0.0.1:1080\"]"};

std::string host_text(const stream::proxy::Target& target) {
  if (const auto* name = std::get_if<stream::proxy::HostName>(&target.host)) return name->text();
  return std::get<IpAddress>(target.host).text();
}

// The authority that a browser would send.
std::string authority(const stream::proxy::Target& target) {
  const auto* address = std::get_if<IpAddress>(&target.host);
  std::string host = host_text(target);
  if (address != nullptr && !address->is_v4()) host = "[" + host + "]";
  return target.port == 443 ? host : host + ":" + std::to_string(target.port);
}

Outcome<stream::tls::TlsContext> make_tls(const ClientSettings& settings,
                                          const stream::proxy::Target& server) {
  stream::tls::ClientConfig config;
  if (settings.pin) {
    config.trust = stream::tls::PinnedKey{*settings.pin};
  }
  config.server_name = host_text(server);
  auto context = stream::tls::TlsContext::client(config);
  if (!context.ok()) return std::unexpected(Failure{describe(context.error())});
  return std::move(*context);
}

bool is_loopback(const IpAddress& address) {
  return address.is_v4() ? address.bytes()[0] == 127 : address == IpAddress::parse("::1");
}

}  // namespace

Outcome<stream::proxy::Credentials> load_proxy_credentials(const ClientSettings& settings) {
  const auto text = platform::read_secret_file(settings.proxy_password_file.string(), 1024);
  if (!text.ok()) {
    return std::unexpected(file_failure(settings.proxy_password_file.string(), text.error()));
  }
  std::string_view password = text->expose_text();
  if (password.ends_with('\n')) password.remove_suffix(1);
  const auto credentials = stream::proxy::Credentials::make(*settings.proxy_user, password);
  if (!credentials.ok()) {
    return std::unexpected(Failure{describe(credentials.error()), kExitUsage});
  }
  return *credentials;
}

Outcome<std::unique_ptr<ClientDaemon>> ClientDaemon::load(const Paths& paths,
                                                          const ClientSettings& settings,
                                                          platform::EventLoop& loop, Log& log) {
  auto identity = load_identity(paths.identity());
  if (!identity) return std::unexpected(identity.error());
  auto front = load_client_front(paths);
  if (!front) return std::unexpected(front.error());
  auto credential = load_credential(paths);
  if (!credential) return std::unexpected(credential.error());
  std::vector<stream::tls::TlsContext> contexts;
  for (const auto& server : settings.addresses) {
    auto context = make_tls(settings, server);
    if (!context) return std::unexpected(context.error());
    contexts.push_back(std::move(*context));
  }
  return std::make_unique<ClientDaemon>(paths, settings, std::move(*identity), std::move(*front),
                                        std::move(*credential), std::move(contexts), loop, log);
}

ClientDaemon::ClientDaemon(const Paths& paths, ClientSettings settings, keys::Identity identity,
                           keys::FrontSecret front, keys::ClientCredential credential,
                           std::vector<stream::tls::TlsContext> tls, platform::EventLoop& loop,
                           Log& log)
    : paths_(paths),
      settings_(std::move(settings)),
      loop_(loop),
      log_(log),
      identity_(std::move(identity)),
      front_(std::move(front)),
      credential_(std::move(credential)),
      tls_(std::move(tls)),
      budget_(settings_.limits.memory) {}

ClientDaemon::~ClientDaemon() = default;

Outcome<void> ClientDaemon::start(Proxy proxy) {
  std::vector<stream::ClientConnectionConfig> connections;
  for (std::size_t i = 0; i < settings_.addresses.size(); ++i) {
    stream::ClientConnectionConfig connection;
    connection.tls = &tls_[i];
    connection.authority = authority(settings_.addresses[i]);
    connection.socket_path = settings_.websocket;
    connection.tunnel_window = settings_.link.lab_h2_window.value_or(connection.tunnel_window);
    connection.link.handshake.identity = &identity_;
    connection.link.handshake.server = settings_.server;
    connection.link.handshake.local = to_advert(settings_.link);
    connection.link.depth = to_depth(settings_.link);
    connection.link.limits = to_limits(settings_.limits);
    connection.link.budget = &budget_;
    connection.link.entropy = &entropy_;
    connection.scratch = &scratch_;
    connections.push_back(std::move(connection));
  }
  const auto seed = entropy_.bytes<8>();
  node_.emplace(
      driver::ClientNodeConfig{
          settings_.addresses, std::move(connections),
          std::move(*std::exchange(front_, std::nullopt)),
          [](const Error& error) { return driver::ErrorWords{describe(error), advice(error)}; }},
      std::move(*std::exchange(credential_, std::nullopt)), loop_, log_, Prng(Reader(seed).u64()),
      [this](const keys::ClientPsk& psk) { return store_psk(psk); });
  if (proxy == Proxy::yes) {
    stream::proxy::EntryConfig entry;
    if (settings_.proxy_user) {
      auto credentials = load_proxy_credentials(settings_);
      if (!credentials) return std::unexpected(credentials.error());
      entry.credentials = *credentials;
    }
    proxy_.emplace(entry, *node_, loop_, log_);
    if (settings_.proxy_listen.empty()) log_(kNoProxy);
    for (const Endpoint& at : settings_.proxy_listen) {
      const auto listening = proxy_->listen(at);
      if (!listening.ok()) {
        return std::unexpected(Failure{at.text() + ": " + describe(listening.error()) +
                                       "; choose another for `listen` in [proxy] of client.toml"});
      }
      const std::string text = at.text();
      log_(kProxyListening, {{"at", std::string_view(text)}});
      if (!is_loopback(at.address) && !settings_.proxy_user) {
        log_(kProxyExposed, {{"at", std::string_view(text)}});
      }
    }
  } else {
    proxy_.emplace(stream::proxy::EntryConfig{}, *node_, loop_, log_);
  }
  node_->start();
  return {};
}

bool ClientDaemon::store_psk(const keys::ClientPsk& psk) {
  const auto saved = save_enrolled(paths_, psk);
  if (saved) {
    log_(kEnrolled);
  } else {
    log_(kPskNotStored, {{"reason", std::string_view(saved.error().message)}});
  }
  return saved.has_value();
}

void ClientDaemon::drain(driver::Callback drained) {
  proxy_->stop_listening();
  node_->drain(std::move(drained));
}

std::string ClientDaemon::status() {
  return client_status(*node_, *proxy_, identity_.node_id(), settings_.server, loop_);
}

void ClientDaemon::handle_control(const ControlRequest& request, platform::ControlReply reply) {
  switch (request.kind) {
    case ControlRequest::Kind::status:
      return reply(status());
    case ControlRequest::Kind::reload:
      node_->nudge();
      return reply(ok_answer());
    default:
      return reply(error_answer("this is a client; only a server has clients and invites"));
  }
}

}  // namespace karst::app
