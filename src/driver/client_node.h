#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/trace.h"
#include "driver/backoff.h"
#include "driver/client_link.h"
#include "driver/ports.h"

namespace karst::driver {

inline constexpr TraceKind kTraceConnecting{TraceLevel::info, "connecting",
                                            "connecting to the server"};
inline constexpr TraceKind kTraceLinkUp{TraceLevel::info, "link-up", "the tunnel is up"};
inline constexpr TraceKind kTraceLinkDown{TraceLevel::warning, "link-down",
                                          "the tunnel is down; trying again"};

// Whoever waits for a link.
class LinkWaiter {
 public:
  virtual void on_link() = 0;

 protected:
  ~LinkWaiter() = default;
};

// What the local proxies see of the tunnel.
class LinkGateway {
 public:
  // The link that takes streams, or null. It lives until its streams are told that they ended.
  virtual LinkStreams* streams() = 0;
  // Called once when there is a link, unless cancelled.
  virtual void wait_for_link(LinkWaiter& waiter) = 0;
  virtual void stop_waiting(LinkWaiter& waiter) = 0;

 protected:
  ~LinkGateway() = default;
};

// An error in words for the log: the whole sentence, and what a person can do, if anything.
struct ErrorWords {
  std::string reason;
  std::string_view to_do;
};

struct ClientNodeConfig {
  // In order of preference; tried in turn.
  std::vector<stream::proxy::Target> servers;
  // For each server its own connection settings (authority and trust), same order.
  std::vector<stream::ClientConnectionConfig> connections;
  keys::FrontSecret front;
  std::function<ErrorWords(const Error&)> words;
};

// A client: keeps one link up, for as long as it runs. After a loss it dials again, with back-off;
// once it was told that it is not let in, which only a person can change, it goes through its
// addresses as seldom as it ever does.
class ClientNode final : public LinkGateway, private ClientLink::Owner {
 public:
  // Stores the PSK that replaces the invite; false if it could not be stored: then the invite goes
  // on being used.
  using EnrolledHandler = std::move_only_function<bool(const keys::ClientPsk&)>;

  ClientNode(ClientNodeConfig config, keys::ClientCredential credential, Ports& ports,
             TraceSink& trace, Prng prng, EnrolledHandler enrolled);
  ~ClientNode();

  void start() { connect(); }
  // The network has changed: dials at once if no link is up.
  void nudge();
  // No new streams; ends the link once those that are open have ended.
  void drain(Callback drained);

  LinkStreams* streams() override;
  void wait_for_link(LinkWaiter& waiter) override { waiters_.push_back(&waiter); }
  void stop_waiting(LinkWaiter& waiter) override { waiters_.remove(&waiter); }

  // For status. Null between attempts.
  ClientLink* link() { return link_.get(); }
  std::uint64_t attempts() const { return attempts_; }
  const std::optional<Error>& last_error() const { return last_error_; }
  std::optional<TimePoint> next_attempt() const { return next_attempt_; }
  bool enrolled() const { return std::holds_alternative<keys::PskCredential>(credential_); }
  const std::optional<keys::ClientSession>& session() const { return session_; }

 private:
  void on_link_usable(ClientLink& link) override;
  void on_link_up(ClientLink& link, const keys::ClientSession& session) override;
  void on_link_flushed(ClientLink& link) override;
  void on_link_enrolled(keys::ClientPsk psk) override;
  void on_link_down(ClientLink& link, const Error& why) override;
  void connect();
  Duration wait_after(const Error& why);
  void sample();
  void finish_drain();
  keys::ClientCredential duplicate_credential() const;

  const ClientNodeConfig config_;
  keys::ClientCredential credential_;
  Ports& ports_;
  TraceSink& trace_;
  EnrolledHandler enrolled_;
  stream::proxy::EgressPolicy everywhere_;
  Backoff backoff_;
  std::unique_ptr<Timer> retry_;
  std::unique_ptr<Timer> second_;
  std::unique_ptr<ClientLink> link_;
  std::list<LinkWaiter*> waiters_;
  std::optional<keys::ClientSession> session_;
  std::optional<Error> last_error_;
  std::optional<TimePoint> next_attempt_;
  std::uint64_t attempts_ = 0;
  Callback drained_;
};

}  // namespace karst::driver
