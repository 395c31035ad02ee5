#include "platform/linux/tcp_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "platform/linux/descriptor_reserve.h"
#include "platform/linux/io_error.h"
#include "platform/linux/socket_address.h"
#include "platform/linux/tcp_info.h"

namespace karst::platform {
namespace {

using driver::Interest;

constexpr std::size_t kRunsPerWrite = 64;

class OsTcpStream final : public driver::TcpStream, private Source {
 public:
  enum class State : std::uint8_t { connecting, open, ended, failed };

  OsTcpStream(Lingering& lingering, UniqueFd fd, const Endpoint& remote, State state)
      : Source(lingering.reactor()),
        lingering_(lingering),
        fd_(std::move(fd)),
        remote_(remote),
        state_(state) {}
  ~OsTcpStream() override;

  Result<void> start() {
    TRY(watch(fd_.get(), Trigger::edge));
    // A connection under way is watched for its result, whatever the handler wants; an accepted
    // one has room, before the kernel has told so.
    if (state_ == State::connecting) {
      want(kWritable);
    } else {
      set_ready(kWritable);
    }
    return {};
  }

  void set_handler(Handler& handler) override { handler_ = &handler; }
  void set_interest(Interest interest) override {
    interest_ = interest;
    if (state_ != State::connecting) want(static_cast<std::uint8_t>(interest));
  }
  Result<std::size_t> read(MutableBytes space) override;
  Result<std::size_t> write(std::span<const Bytes> runs) override;
  void shutdown_write() override {
    // Before: with it set, the close that follows would discard what is not sent yet.
    if (std::exchange(guarded_, false)) linger_nothing(false);
    // It fails only on a connection that is already dead, which the next read reports.
    ::shutdown(fd_.get(), SHUT_WR);
  }
  void abort_on_close() override { abort_ = true; }
  void reset_unless_shut() override {
    guarded_ = true;
    linger_nothing(true);
  }
  void set_unsent_low_water(std::uint32_t bytes) override;
  void set_silence_limit(Duration limit) override;
  void set_retransmission_pause(Duration longest) override;
  std::string choose_congestion_control(std::string_view wanted) override;
  driver::TcpInfo info() override { return read_tcp_info(fd_.get()); }
  Endpoint local() const override { return local_endpoint(fd_.get()); }
  Endpoint remote() const override { return remote_; }

 private:
  void on_ready() override;
  void finish_connecting();
  // Whether a close, by us or by the kernel when we are gone, is a RST and discards all.
  void linger_nothing(bool on) {
    const linger option{.l_onoff = on ? 1 : 0, .l_linger = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &option, sizeof option);
  }
  // False when the kernel has nothing to move, as far as it told, or when `moved` in this turn is
  // enough. Readiness is known without asking: who moves until kWouldBlock costs no extra call.
  bool may_move(std::uint8_t direction, std::size_t& moved);

  Lingering& lingering_;
  UniqueFd fd_;
  Endpoint remote_;
  Handler* handler_ = nullptr;
  std::uint64_t turn_ = 0;
  std::size_t read_in_turn_ = 0;
  std::size_t written_in_turn_ = 0;
  State state_;
  Interest interest_ = Interest::none;
  bool abort_ = false;
  bool guarded_ = false;  // reset_unless_shut(), and not shut yet
};

static_assert(static_cast<std::uint8_t>(Interest::read) == kReadable);
static_assert(static_cast<std::uint8_t>(Interest::write) == kWritable);

OsTcpStream::~OsTcpStream() {
  if (abort_ || guarded_) {
    linger_nothing(true);
  } else if (state_ == State::open) {
    // After the other side's end no byte of it can turn our close into a reset.
    lingering_.take(std::move(fd_));
  }
}

void OsTcpStream::on_ready() {
  CHECK(handler_ != nullptr);
  Reactor& loop = reactor();
  if (state_ == State::connecting) {
    finish_connecting();
    if (!loop.dispatching(this)) return;
  }
  if ((due() & kReadable) != 0) {
    handler_->on_readable();
    if (!loop.dispatching(this)) return;
  }
  if ((due() & kWritable) != 0) handler_->on_writable();
}

void OsTcpStream::finish_connecting() {
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  if (error != 0) {
    state_ = State::failed;
    want(0);
    handler_->on_connected(io_error(error));
    return;
  }
  state_ = State::open;
  want(static_cast<std::uint8_t>(interest_));
  handler_->on_connected({});
}

bool OsTcpStream::may_move(std::uint8_t direction, std::size_t& moved) {
  if ((ready() & direction) == 0) return false;
  if (turn_ != reactor().turn()) {
    turn_ = reactor().turn();
    read_in_turn_ = written_in_turn_ = 0;
  }
  return moved < kStreamTurnBytes;
}

Result<std::size_t> OsTcpStream::read(MutableBytes space) {
  CHECK(!space.empty());
  // What is left over stays marked as ready, and the next turn calls again.
  if (!may_move(kReadable, read_in_turn_)) return driver::kWouldBlock;
  ssize_t got;
  do {
    got = ::recv(fd_.get(), space.data(), space.size(), MSG_DONTWAIT);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    const Error error = io_error(errno);
    if (error.is(driver::kWouldBlock)) {
      clear_ready(kReadable);
    } else {
      state_ = State::failed;
    }
    return error;
  }
  const auto count = static_cast<std::size_t>(got);
  if (count == 0) state_ = State::ended;
  // A short read has emptied the queue, and what comes later raises a new edge; but it also stops
  // before an end, an error or a mark of urgent data, whose edge may have come already.
  if (count < space.size() && !exceptional()) clear_ready(kReadable);
  read_in_turn_ += count;
  return count;
}

Result<std::size_t> OsTcpStream::write(std::span<const Bytes> runs) {
  std::array<iovec, kRunsPerWrite> vectors;
  msghdr message{};
  message.msg_iov = vectors.data();
  std::size_t offered = 0;
  for (const Bytes run : runs.first(std::min(runs.size(), kRunsPerWrite))) {
    if (run.empty()) continue;
    vectors[message.msg_iovlen++] = {const_cast<std::uint8_t*>(run.data()), run.size()};
    offered += run.size();
  }
  CHECK(offered > 0);
  if (!may_move(kWritable, written_in_turn_)) return driver::kWouldBlock;
  ssize_t taken;
  do {
    taken = ::sendmsg(fd_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (taken < 0 && errno == EINTR);
  if (taken < 0) {
    const Error error = io_error(errno);
    if (error.is(driver::kWouldBlock)) {
      clear_ready(kWritable);
    } else {
      state_ = State::failed;
    }
    return error;
  }
  const auto count = static_cast<std::size_t>(taken);
  // The kernel notes at a short write that somebody waits for room, and raises an edge for it.
  if (count < offered) clear_ready(kWritable);
  written_in_turn_ += count;
  return count;
}

void OsTcpStream::set_unsent_low_water(std::uint32_t bytes) {
  CHECK(::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes) == 0);
}

// The user timeout also takes the place of the number of probes (tcp(7)), which are sent when the
// connection was idle for twice the limit.
void OsTcpStream::set_silence_limit(Duration limit) {
  const auto milliseconds = static_cast<unsigned>(to_milliseconds(limit));
  const auto set = [this](int level, int option, const auto& value) {
    CHECK(::setsockopt(fd_.get(), level, option, &value, sizeof value) == 0);
  };
  const int on = 1;
  const int idle = static_cast<int>(std::max<std::int64_t>(1, 2 * to_milliseconds(limit) / 1'000));
  const int between =
      static_cast<int>(std::max<std::int64_t>(1, to_milliseconds(limit) / 3 / 1'000));
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, milliseconds);
  set(IPPROTO_TCP, TCP_KEEPIDLE, idle);
  set(IPPROTO_TCP, TCP_KEEPINTVL, between);
  set(SOL_SOCKET, SO_KEEPALIVE, on);
}

void OsTcpStream::set_retransmission_pause(Duration longest) {
  // TCP_RTO_MAX_MS, which no libc names yet; an older kernel goes on as it always did.
  constexpr int kRtoMaxMs = 44;
  constexpr std::int64_t kMost = 120'000;
  const auto milliseconds =
      static_cast<int>(std::clamp<std::int64_t>(to_milliseconds(longest), 1'000, kMost));
  ::setsockopt(fd_.get(), IPPROTO_TCP, kRtoMaxMs, &milliseconds, sizeof milliseconds);
}

std::string OsTcpStream::choose_congestion_control(std::string_view wanted) {
  // The kernel refuses a name that it does not have or does not allow us; reading back tells.
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_CONGESTION, wanted.data(),
               static_cast<socklen_t>(wanted.size()));
  std::array<char, 17> name{};  // TCP_CA_NAME_MAX and a terminating zero
  socklen_t length = name.size() - 1;
  if (::getsockopt(fd_.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return {};
  return name.data();
}

}  // namespace

Result<std::unique_ptr<driver::TcpStream>> connect_tcp(Lingering& lingering, const Endpoint& to) {
  const SocketAddress address = SocketAddress::from(to);
  UniqueFd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return io_error(errno);
  if (in_reserve(fd.get())) return io_error(EMFILE);
  const int on = 1;
  if (::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) return io_error(errno);
  if (::connect(fd.get(), address.get(), address.length) != 0 && errno != EINPROGRESS) {
    return io_error(errno);
  }
  auto stream =
      std::make_unique<OsTcpStream>(lingering, std::move(fd), to, OsTcpStream::State::connecting);
  TRY(stream->start());
  return stream;
}

Result<std::unique_ptr<driver::TcpStream>> adopt_tcp(Lingering& lingering, UniqueFd socket,
                                                     const Endpoint& remote) {
  auto stream =
      std::make_unique<OsTcpStream>(lingering, std::move(socket), remote, OsTcpStream::State::open);
  TRY(stream->start());
  return stream;
}

}  // namespace karst::platform
