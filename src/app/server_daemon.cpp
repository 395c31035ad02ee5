#include "app/server_daemon.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/invites.h"
#include "app/server_address.h"
#include "app/status_json.h"
#include "base/reader.h"
#include "platform/linux/clock.h"
#include "platform/linux/site_loader.h"

namespace karst::app {
namespace {

constexpr TraceKind kReloaded{TraceLevel::info, "reloaded",
                              "clients, certificate and rules were read again"};
constexpr TraceKind kNotReloaded{TraceLevel::error, "not-reloaded",
                                 "something could not be read again; the old values stay"};

constexpr TraceKind kSiteFileLeftOut{TraceLevel::warning, "site-file-left-out",
                                     "a file of the cover site is not served"};

bool has_aes() { return __builtin_cpu_supports("aes"); }

// Those of `server.addresses` that are no names.
std::vector<IpAddress> public_addresses(const ServerSettings& settings) {
  std::vector<IpAddress> out;
  for (const wire::ServerAddress& at : settings.addresses) {
    if (const auto address = IpAddress::parse(at.host)) out.push_back(*address);
  }
  return out;
}

}  // namespace

keys::LocalAdvert to_advert(const LinkSettings& link) {
  keys::LocalAdvert advert;
  advert.policy = link.policy;
  advert.policy_floor = link.policy_floor;
  advert.rekey_window = link.rekey_window.value_or(keys::kRekeyWindowMax);
  advert.capabilities.aes = has_aes();
  advert.capabilities.stream_carrier = true;
  return advert;
}

keys::DepthMode to_depth(const LinkSettings& link) {
  return link.rekey_window ? keys::DepthMode::fixed : keys::DepthMode::automatic;
}

stream::mux::Limits to_limits(const LimitSettings& limits) {
  stream::mux::Limits out;
  out.stream_window = limits.stream_window;
  out.link_window = limits.link_window;
  return out;
}

Outcome<std::unique_ptr<ServerDaemon>> ServerDaemon::load(const Paths& paths,
                                                          const ServerSettings& settings,
                                                          platform::EventLoop& loop, Log& log) {
  auto identity = load_identity(paths.identity());
  if (!identity) return std::unexpected(identity.error());
  auto front = load_server_front(paths);
  if (!front) return std::unexpected(front.error());
  auto registry = load_registry(paths);
  if (!registry) return std::unexpected(registry.error());
  auto tls = load_server_tls(settings);
  if (!tls) return std::unexpected(tls.error());
  const auto pin = load_pin(settings.certificate);
  if (!pin) return std::unexpected(pin.error());
  auto daemon =
      std::make_unique<ServerDaemon>(paths, settings, std::move(*identity), std::move(*front),
                                     std::move(*registry), std::move(*tls), *pin, loop, log);
  if (auto made = daemon->make_site(); !made) return std::unexpected(made.error());
  return daemon;
}

ServerDaemon::ServerDaemon(const Paths& paths, ServerSettings settings, keys::Identity identity,
                           keys::FrontSecrets front, keys::ClientRegistry registry,
                           stream::tls::TlsContext tls, wire::TlsPin pin, platform::EventLoop& loop,
                           Log& log)
    : paths_(paths),
      settings_(std::move(settings)),
      loop_(loop),
      log_(log),
      identity_(std::move(identity)),
      front_(std::move(front)),
      registry_(std::move(registry)),
      tls_(std::move(tls)),
      pin_(pin),
      handshakes_(settings_.limits.handshakes_per_second),
      budget_(settings_.limits.memory),
      visitors_(settings_.limits.memory / 4),
      egress_(settings_.egress, loop.own_addresses(), public_addresses(settings_)) {}

ServerDaemon::~ServerDaemon() = default;

Outcome<void> ServerDaemon::make_site() {
  const CoverSettings& cover = settings_.cover;
  if (cover.upstream) {
    site_.emplace(stream::cover::Site::BackendOptions{cover.upstream->text()}, cover.websocket,
                  entropy_);
    return {};
  }
  if (cover.root) {
    auto files = platform::load_site(cover.root->string());
    if (!files.ok()) return std::unexpected(file_failure(cover.root->string(), files.error()));
    for (const std::string& file : files->left_out) {
      log_(kSiteFileLeftOut, {{"file", std::string_view(file)}});
    }
    site_.emplace(std::move(files->files), cover.websocket);
    return {};
  }
  // Dated like the certificate: what a person who put up a site once would have.
  std::error_code ignored;
  const auto written = std::filesystem::last_write_time(settings_.certificate, ignored);
  const auto age = std::filesystem::file_time_type::clock::now() - written;
  const UnixTime modified{platform::wall_now().seconds -
                          std::chrono::duration_cast<std::chrono::seconds>(age).count()};
  site_.emplace(stream::cover::builtin_site(modified, cover.websocket), cover.websocket);
  return {};
}

Outcome<void> ServerDaemon::start() {
  auto worker = platform::Worker::create(loop_.reactor());
  if (!worker.ok()) return std::unexpected(Failure{describe(worker.error())});
  worker_ = std::move(*worker);
  store_.emplace(paths_.registry(), *worker_);
  shared_.tls = &tls_;
  shared_.site = &*site_;
  shared_.socket_path = settings_.cover.websocket;
  shared_.tunnel_window = settings_.link.lab_h2_window.value_or(shared_.tunnel_window);
  shared_.front = &front_;
  shared_.scratch = &scratch_;
  shared_.trace = &log_;
  shared_.link.handshake.identity = &identity_;
  shared_.link.handshake.local = to_advert(settings_.link);
  // This version keeps no streams of a lost link.
  shared_.link.handshake.limits.resume_seconds = 0;
  shared_.link.depth = to_depth(settings_.link);
  shared_.link.limits = to_limits(settings_.limits);
  shared_.link.registry = &registry_;
  shared_.link.handshakes = &handshakes_;
  shared_.link.budget = &budget_;
  shared_.visitors = &visitors_;
  shared_.link.entropy = &entropy_;
  driver::ServerNodeConfig config;
  config.listen = settings_.listen;
  config.connections_max = settings_.limits.connections;
  config.connections_per_source_max = settings_.limits.connections_per_address;
  config.links_per_client_max = settings_.limits.links_per_client;
  config.backend_address = settings_.cover.upstream.value_or(Endpoint{});
  node_.emplace(std::move(config),
                driver::ServerNodeParts{&loop_, &shared_, &*site_, &egress_, &registry_, &*store_});
  node_->set_outcome_handler(
      [this](const keys::ChangeOutcome& outcome) { handle_outcome(outcome); });
  if (const auto error = node_->listen()) {
    std::string text = error->at.text() + ": " + describe(error->error);
    if (error->error.is(driver::kPermission)) {
      text += " (ports below 1024 need root or CAP_NET_BIND_SERVICE)";
    } else {
      text += "; choose another for `listen` in [server] of server.toml";
    }
    return std::unexpected(Failure{std::move(text)});
  }
  return {};
}

void ServerDaemon::reload() {
  const auto keep = [this](const Failure& failure) {
    log_(kNotReloaded, {{"reason", std::string_view(failure.message)}});
  };
  auto settings = load_server_settings(paths_);
  if (!settings) return keep(settings.error());
  auto tls = load_server_tls(*settings);
  if (!tls) return keep(tls.error());
  auto registry = load_registry(paths_);
  if (!registry) return keep(registry.error());
  tls_ = std::move(*tls);
  settings_.certificate = settings->certificate;
  settings_.key = settings->key;
  settings_.egress = settings->egress;
  settings_.addresses = settings->addresses;
  if (const auto pin = load_pin(settings_.certificate)) pin_ = *pin;
  egress_ = stream::proxy::EgressPolicy(settings_.egress, loop_.own_addresses(),
                                        public_addresses(settings_));
  log_.configure(settings->log);
  // A change that is on its way to the disk would be lost with the registry that it belongs to.
  if (waiting_.empty() && registry_.settled()) registry_ = std::move(*registry);
  node_->registry_changed();
  log_(kReloaded);
}

void ServerDaemon::drain(driver::Callback drained) {
  draining_ = true;
  node_->drain(std::move(drained));
}

std::string ServerDaemon::status() {
  return server_status(*node_, identity_.node_id(), registry_, loop_, draining_);
}

void ServerDaemon::handle_outcome(const keys::ChangeOutcome& outcome) {
  const auto found = std::ranges::find(waiting_, outcome.ticket(), &WaitingReply::ticket);
  if (found == waiting_.end()) return;
  WaitingReply waiting = std::move(*found);
  waiting_.erase(found);
  if (!outcome.result().ok()) {
    waiting.reply(error_answer(describe(outcome.result().error())));
  } else if (waiting.invite) {
    waiting.reply(waiting.invite->expose_text());
  } else {
    waiting.reply(ok_answer());
  }
}

void ServerDaemon::invite(const ControlRequest& request, platform::ControlReply reply) {
  InviteRequest wanted{request.name, keys::kInviteLifetimeSeconds, settings_.addresses};
  if (request.lifetime_seconds > 0) wanted.lifetime_seconds = request.lifetime_seconds;
  if (!request.addresses.empty()) {
    wanted.addresses.clear();
    for (const std::string& text : request.addresses) {
      const auto address = parse_server_address(text);
      if (!address) return reply(error_answer(text + " is not a host and port"));
      wanted.addresses.push_back(*address);
    }
  }
  auto issued = issue_invite(wanted, {identity_.node_id(), pin_, &front_}, registry_,
                             loop_.wall_time(), entropy_);
  if (!issued) return reply(error_answer(issued.error().message));
  waiting_.push_back({issued->ticket, invite_answer(issued->uri.expose_text()), std::move(reply)});
  node_->registry_changed();
}

void ServerDaemon::revoke(const ControlRequest& request, platform::ControlReply reply) {
  const auto ticket = revoke_name(request.name, registry_);
  if (!ticket) return reply(error_answer(ticket.error().message));
  waiting_.push_back({*ticket, std::nullopt, std::move(reply)});
  node_->registry_changed();
}

std::string clients_json(const keys::ClientRegistry& registry, UnixTime now) {
  nlohmann::ordered_json out;
  out["clients"] = nlohmann::ordered_json::array();
  for (const auto& [node, client] : registry.clients()) {
    out["clients"].push_back(
        {{"name", client.name}, {"node", node.text()}, {"revoked", client.revoked}});
  }
  out["invites"] = nlohmann::ordered_json::array();
  for (const auto& [id, invite] : registry.invites()) {
    if (invite.spent_by) continue;
    out["invites"].push_back(
        {{"name", invite.name}, {"expires_in_seconds", invite.expiry.seconds - now.seconds}});
  }
  return out.dump();
}

void ServerDaemon::handle_control(const ControlRequest& request, platform::ControlReply reply) {
  switch (request.kind) {
    case ControlRequest::Kind::status:
      return reply(status());
    case ControlRequest::Kind::reload:
      reload();
      return reply(ok_answer());
    case ControlRequest::Kind::invite:
      return invite(request, std::move(reply));
    case ControlRequest::Kind::clients:
      return reply(clients_json(registry_, loop_.wall_time()));
    case ControlRequest::Kind::revoke:
      return revoke(request, std::move(reply));
  }
}

}  // namespace karst::app
