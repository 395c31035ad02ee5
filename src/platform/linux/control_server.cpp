#include "platform/linux/control_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <utility>

#include "base/check.h"
#include "crypto/secret_bytes.h"
#include "platform/linux/unix_socket.h"

namespace karst::platform {
namespace {

class Connection;
using Connections = std::map<std::uint64_t, std::unique_ptr<Connection>>;

// What the connections share. A reply holds it weakly: it may come when the server is gone.
struct Shared {
  ControlHandler handler;
  ControlLimits limits;
  Connections connections;
};

// Reads one request, waits for the reply, writes it, and so on.
class Connection final : private Source {
 public:
  Connection(Reactor& loop, const std::shared_ptr<Shared>& shared, std::uint64_t id, UniqueFd fd)
      : Source(loop),
        shared_(shared),
        id_(id),
        fd_(std::move(fd)),
        timeout_(loop.timers().make([this] { close(); })) {}

  bool start() {
    await_request();
    return watch(fd_.get(), Trigger::edge).ok();
  }
  // Asks for nothing yet, or takes no answer: may be ended for someone else.
  bool silent() const { return state_ != State::asking; }
  TimePoint silent_since() const { return silent_since_; }
  void reply(std::string_view text) {
    if (text.size() > kControlReplyBytesMax) return close();
    const auto header = control_header(text.size());
    output_ = crypto::SecretBytes(header.size() + text.size());
    output_.append(header);
    output_.append(text);
    sent_ = 0;
    state_ = State::answering;
    silent_since_ = reactor().now();
    timeout_->arm(silent_since_ + shared_->limits.answer_time);
    want(kWritable);
  }
  void close() { shared_->connections.erase(id_); }

 private:
  enum class State : std::uint8_t { awaiting, asking, answering };

  void on_ready() override { (due() & kWritable) != 0 ? send() : receive(); }
  void receive();
  void send();
  void await_request() {
    state_ = State::awaiting;
    silent_since_ = reactor().now();
    timeout_->arm(silent_since_ + shared_->limits.request_time);
    want(kReadable);
  }

  std::shared_ptr<Shared> shared_;
  std::uint64_t id_;
  UniqueFd fd_;
  std::unique_ptr<driver::Timer> timeout_;
  State state_ = State::awaiting;
  TimePoint silent_since_{};
  std::string input_;
  crypto::SecretBytes output_{0};
  std::size_t sent_ = 0;
};

// The reply's view of its connection; the last one to go without an answer hangs up.
class Pending {
 public:
  Pending(std::weak_ptr<Shared> shared, std::uint64_t id) : shared_(std::move(shared)), id_(id) {}
  Pending(Pending&& other) noexcept = default;
  ~Pending() {
    if (Connection* connection = take()) connection->close();
  }
  void operator()(std::string_view text) {
    if (Connection* connection = take()) connection->reply(text);
  }

 private:
  Connection* take() {
    const std::shared_ptr<Shared> shared = std::exchange(shared_, {}).lock();
    if (shared == nullptr) return nullptr;
    const auto found = shared->connections.find(id_);
    return found == shared->connections.end() ? nullptr : found->second.get();
  }
  std::weak_ptr<Shared> shared_;
  std::uint64_t id_;
};

void Connection::receive() {
  std::array<char, 16 * 1024> space;
  const ssize_t got = ::recv(fd_.get(), space.data(), space.size(), MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return clear_ready(kReadable);
  if (got <= 0) return close();
  input_.append(space.data(), static_cast<std::size_t>(got));
  if (input_.size() < kControlHeaderBytes) return;
  const std::size_t length = control_length(input_);
  // More than one request at a time is against the protocol.
  const std::size_t whole = kControlHeaderBytes + length;
  if (length > kControlRequestBytesMax || input_.size() > whole) return close();
  if (input_.size() < whole) return;
  // Until the reply is there, neither input nor the clock matters.
  want(0);
  state_ = State::asking;
  timeout_->disarm();
  const std::string request = std::exchange(input_, {});
  const std::shared_ptr<Shared> shared = shared_;
  shared->handler(std::string_view(request).substr(kControlHeaderBytes), Pending(shared, id_));
}

void Connection::send() {
  const Bytes rest = output_.expose().subspan(sent_);
  const ssize_t sent = ::send(fd_.get(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno == EAGAIN) return clear_ready(kWritable);
  if (sent < 0) return close();
  sent_ += static_cast<std::size_t>(sent);
  if (sent_ < output_.size()) return;
  output_ = crypto::SecretBytes(0);
  sent_ = 0;
  await_request();
}

// Ends whoever has been silent for longest; false if all wait for an answer.
bool make_room(Connections& connections) {
  Connection* longest = nullptr;
  for (const auto& [id, connection] : connections) {
    if (!connection->silent()) continue;
    if (longest == nullptr || connection->silent_since() < longest->silent_since()) {
      longest = connection.get();
    }
  }
  if (longest != nullptr) longest->close();
  return longest != nullptr;
}

class OsControlServer final : public ControlServer, private Source {
 public:
  OsControlServer(Reactor& loop, UniqueFd fd, std::string path, ControlHandler handler,
                  const ControlLimits& limits)
      : Source(loop),
        fd_(std::move(fd)),
        path_(std::move(path)),
        shared_(std::make_shared<Shared>()) {
    shared_->handler = std::move(handler);
    shared_->limits = limits;
  }
  ~OsControlServer() override {
    ::unlink(path_.c_str());
    // Connections hold the shared part, so they would keep it and themselves alive.
    shared_->connections.clear();
  }
  Result<void> start() {
    want(kReadable);
    return watch(fd_.get(), Trigger::edge);
  }

 private:
  void on_ready() override {
    UniqueFd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    // Whatever else fails than an empty queue: the client asks again, the loop does not spin.
    if (!fd.valid()) return clear_ready(kReadable);
    if (!peer_is_trusted(fd.get())) return;
    Connections& connections = shared_->connections;
    if (connections.size() == shared_->limits.connections && !make_room(connections)) return;
    auto connection = std::make_unique<Connection>(reactor(), shared_, next_, std::move(fd));
    if (connection->start()) shared_->connections.emplace(next_++, std::move(connection));
  }

  UniqueFd fd_;
  std::string path_;
  std::shared_ptr<Shared> shared_;
  std::uint64_t next_ = 0;
};

}  // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::listen(Reactor& reactor,
                                                             const std::string& path,
                                                             ControlHandler handler,
                                                             const ControlLimits& limits) {
  TRY_ASSIGN(UniqueFd fd, listen_unix(path));
  auto server =
      std::make_unique<OsControlServer>(reactor, std::move(fd), path, std::move(handler), limits);
  TRY(server->start());
  return server;
}

}  // namespace karst::platform
