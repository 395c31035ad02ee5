#include "platform/linux/resolver.h"

#include <ares.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "platform/linux/socket_address.h"

namespace karst::platform {
namespace {

using Addresses = std::vector<IpAddress>;

// What c-ares holds while it works on a name. It lives until c-ares calls back, and forgets its
// look-up when that is destroyed or answered first: c-ares cannot cancel one question alone.
constexpr std::size_t kNameBytesMax = 253;  // RFC 1035 section 2.3.4, in textual form

Result<Addresses> addresses_of(int status, const ares_addrinfo* info) {
  switch (status) {
    case ARES_SUCCESS:
      break;
    case ARES_ENODATA:
      return Addresses{};
    case ARES_ENOTFOUND:
    case ARES_EBADNAME:
      return driver::kNameNotFound;
    default:
      return Error(driver::kNameServerFailed, status);
  }
  Addresses out;
  for (const ares_addrinfo_node* node = info->nodes; node != nullptr; node = node->ai_next) {
    SocketAddress address;
    std::memcpy(&address.storage, node->ai_addr, node->ai_addrlen);
    if (address.storage.ss_family == AF_INET) {
      out.push_back(address.endpoint().address);
      continue;
    }
    // Not through endpoint(): a mapped address in a AAAA record stays what it is, so that the
    // egress policy sees it.
    sockaddr_in6 in6;
    std::memcpy(&in6, &address.storage, sizeof in6);
    std::array<std::uint8_t, 16> bytes;
    std::memcpy(bytes.data(), in6.sin6_addr.s6_addr, 16);
    out.push_back(IpAddress::v6(bytes));
  }
  return out;
}

}  // namespace

struct Resolver::Question {
  PendingLookup* lookup;
  Channel* channel;
};

// One c-ares channel. Destroyed only from outside c-ares: look-ups are told from the loop.
class Resolver::Channel {
 public:
  Channel(Reactor& reactor, const ResolverOptions& options);
  ~Channel() {
    if (ares_ != nullptr) ares_destroy(ares_);
  }
  Channel(const Channel&) = delete;

  bool full() const { return questions_ >= kLookUpsMax; }
  void ask(const std::string& name, driver::AddressFamily family, PendingLookup& lookup);
  void process(int fd, unsigned events);

 private:
  static void on_socket_state(void* self, ares_socket_t fd, int readable, int writable);
  static void on_answer(void* question, int status, int timeouts, ares_addrinfo* info);
  void arm_timer();

  Reactor& reactor_;
  std::unique_ptr<driver::Timer> timer_;
  std::map<int, std::unique_ptr<ServerSocket>> sockets_;
  std::size_t questions_ = 0;
  ares_channel_t* ares_ = nullptr;
};

class Resolver::ServerSocket final : public Source {
 public:
  ServerSocket(Reactor& reactor, Channel& channel, int fd)
      : Source(reactor), channel_(channel), fd_(fd) {
    want(kReadable | kWritable);
  }
  Result<void> set(std::uint8_t bits) { return watch_level(fd_, bits); }

 private:
  void on_ready() override {
    unsigned events = 0;
    if ((due() & kReadable) != 0) events |= ARES_FD_EVENT_READ;
    if ((due() & kWritable) != 0) events |= ARES_FD_EVENT_WRITE;
    channel_.process(fd_, events);
  }
  Channel& channel_;
  int fd_;  // owned by c-ares
};

class Resolver::PendingLookup final : public driver::Lookup, private Source {
 public:
  PendingLookup(Reactor& loop, driver::LookupCallback callback)
      : Source(loop), callback_(std::move(callback)) {
    want(kReadable);
  }
  ~PendingLookup() override { forget_question(); }

  void ask(std::shared_ptr<Channel> channel, const std::string& name, driver::AddressFamily family,
           Duration whole_time) {
    channel_ = std::move(channel);
    timeout_ = reactor().timers().make([this] { answer(driver::kNameServerFailed); });
    timeout_->arm(reactor().now() + whole_time);
    channel_->ask(name, family, *this);
  }
  void set_question(Question* question) { question_ = question; }
  // The callback comes from the loop.
  void answer(Result<Addresses> result) {
    forget_question();
    timeout_.reset();
    if (!result_) result_ = std::move(result);
    set_ready(kReadable);
  }

 private:
  void on_ready() override {
    clear_ready(kReadable);
    driver::LookupCallback callback = std::move(callback_);
    callback(std::move(*result_));
  }
  void forget_question() {
    if (question_ != nullptr) std::exchange(question_, nullptr)->lookup = nullptr;
  }

  driver::LookupCallback callback_;
  std::shared_ptr<Channel> channel_;
  std::unique_ptr<driver::Timer> timeout_;
  Question* question_ = nullptr;
  std::optional<Result<Addresses>> result_;
};

Resolver::Channel::Channel(Reactor& reactor, const ResolverOptions& options)
    : reactor_(reactor),
      timer_(reactor.timers().make([this] { process(ARES_SOCKET_BAD, ARES_FD_EVENT_NONE); })) {
  std::string resolv_conf = options.resolv_conf;
  std::string hosts_file = options.hosts_file;
  ares_options settings{};
  settings.timeout = static_cast<int>(to_milliseconds(options.try_time));
  settings.tries = options.tries;
  // c-ares would keep each answer for up to an hour, however many there are.
  settings.qcache_max_ttl = 0;
  settings.sock_state_cb = &on_socket_state;
  settings.sock_state_cb_data = this;
  settings.resolvconf_path = resolv_conf.data();
  settings.hosts_path = hosts_file.data();
  constexpr int kSet = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB |
                       ARES_OPT_RESOLVCONF | ARES_OPT_HOSTS_FILE | ARES_OPT_QUERY_CACHE;
  if (ares_init_options(&ares_, &settings, kSet) != ARES_SUCCESS) {
    ares_ = nullptr;
    return;
  }
  if (!options.servers.empty() &&
      ares_set_servers_ports_csv(ares_, options.servers.c_str()) != ARES_SUCCESS) {
    ares_destroy(std::exchange(ares_, nullptr));
  }
}

void Resolver::Channel::ask(const std::string& name, driver::AddressFamily family,
                            PendingLookup& lookup) {
  if (ares_ == nullptr) return lookup.answer(driver::kNameServerFailed);
  ares_addrinfo_hints hints{};
  hints.ai_family = family == driver::AddressFamily::v4 ? AF_INET : AF_INET6;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = ARES_AI_NOSORT;
  auto question = std::make_unique<Question>(&lookup, this);
  lookup.set_question(question.get());
  ++questions_;
  ares_getaddrinfo(ares_, name.c_str(), nullptr, &hints, &on_answer, question.release());
  arm_timer();
}

void Resolver::Channel::on_answer(void* argument, int status, int, ares_addrinfo* info) {
  const std::unique_ptr<Question> question(static_cast<Question*>(argument));
  const std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> owner(info,
                                                                           &ares_freeaddrinfo);
  --question->channel->questions_;
  if (question->lookup != nullptr) question->lookup->answer(addresses_of(status, info));
}

void Resolver::Channel::process(int fd, unsigned events) {
  const ares_fd_events_t event{fd, events};
  ares_process_fds(ares_, &event, events == ARES_FD_EVENT_NONE ? 0 : 1, ARES_PROCESS_FLAG_NONE);
  arm_timer();
}

void Resolver::Channel::on_socket_state(void* self, ares_socket_t fd, int readable, int writable) {
  Channel& channel = *static_cast<Channel*>(self);
  std::uint8_t bits = 0;
  if (readable != 0) bits |= kReadable;
  if (writable != 0) bits |= kWritable;
  auto& socket = channel.sockets_[fd];
  if (socket == nullptr) {
    socket = std::make_unique<ServerSocket>(channel.reactor_, channel, fd);
  }
  // A socket that cannot be watched gets no answer, and its question times out.
  const bool watched = socket->set(bits).ok();
  if (bits == 0 || !watched) channel.sockets_.erase(fd);
}

void Resolver::Channel::arm_timer() {
  timeval left{};
  if (ares_timeout(ares_, nullptr, &left) == nullptr) return timer_->disarm();
  // c-ares reads its own clock, and at the very moment is still too early for it.
  timer_->arm(reactor_.now() + std::chrono::seconds(left.tv_sec) +
              std::chrono::microseconds(left.tv_usec) + std::chrono::milliseconds(1));
}

Resolver::Resolver(Reactor& reactor, ResolverOptions options)
    : reactor_(reactor), options_(std::move(options)) {}

Resolver::~Resolver() = default;

std::unique_ptr<driver::Lookup> Resolver::look_up(std::string_view name,
                                                  driver::AddressFamily family,
                                                  driver::LookupCallback callback) {
  auto lookup = std::make_unique<PendingLookup>(reactor_, std::move(callback));
  if (const auto literal = IpAddress::parse(name)) {
    const bool same = literal->is_v4() == (family == driver::AddressFamily::v4);
    lookup->answer(same ? Addresses{*literal} : Addresses{});
    return lookup;
  }
  if (name.empty() || name.size() > kNameBytesMax + 1 || name.contains('\0')) {
    lookup->answer(driver::kNameNotFound);
    return lookup;
  }
  const FileVersion version = configuration();
  if (channel_ == nullptr || version != version_) {
    version_ = version;
    channel_ = std::make_shared<Channel>(reactor_, options_);
  }
  if (channel_->full()) {
    lookup->answer(driver::kNameServerFailed);
    return lookup;
  }
  lookup->ask(channel_, std::string(name), family, options_.whole_time);
  return lookup;
}

Resolver::FileVersion Resolver::configuration() const {
  struct stat file{};
  if (!options_.servers.empty() || ::stat(options_.resolv_conf.c_str(), &file) != 0) return {};
  return {file.st_ino, file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec};
}

}  // namespace karst::platform
