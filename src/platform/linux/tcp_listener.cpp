#include "platform/linux/tcp_listener.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "base/check.h"
#include "platform/linux/descriptor_reserve.h"
#include "platform/linux/io_error.h"
#include "platform/linux/socket_address.h"
#include "platform/linux/tcp_stream.h"

namespace karst::platform {
namespace {

class OsTcpListener final : public driver::TcpListener, private Source {
 public:
  OsTcpListener(Lingering& lingering, UniqueFd fd)
      : Source(lingering.reactor()),
        lingering_(lingering),
        fd_(std::move(fd)),
        pause_(reactor().timers().make([this] { want(kReadable); })) {}

  Result<void> start() {
    want(kReadable);
    return watch(fd_.get(), Trigger::edge);
  }
  void set_handler(Handler& handler) override { handler_ = &handler; }
  Endpoint local() const override { return local_endpoint(fd_.get()); }

 private:
  void on_ready() override;
  // Decides how to go on after accept4() failed; true: try the next connection now.
  bool after_failure(int error);
  void rest();

  Lingering& lingering_;
  UniqueFd fd_;
  std::unique_ptr<driver::Timer> pause_;
  Handler* handler_ = nullptr;
  bool short_of_descriptors_ = false;
};

void OsTcpListener::on_ready() {
  CHECK(handler_ != nullptr);
  Reactor& loop = reactor();
  if (only_reserve_left()) return rest();
  short_of_descriptors_ = false;
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    SocketAddress remote;
    // TCP_NODELAY is inherited from the listening socket.
    UniqueFd fd(::accept4(fd_.get(), remote.get(), &remote.length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd.valid()) {
      if (!after_failure(errno)) return;
      continue;
    }
    const bool last = in_reserve(fd.get() + 1);
    auto stream = adopt_tcp(lingering_, std::move(fd), remote.endpoint());
    if (!stream.ok()) continue;  // it closes: the system cannot watch one more
    handler_->on_accept(std::move(*stream));
    if (!loop.dispatching(this)) return;
    if (last) return rest();
  }
}

bool OsTcpListener::after_failure(int error) {
  switch (error) {
    case EAGAIN:
      clear_ready(kReadable);
      return false;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      rest();
      return false;
    default:
      // accept(2): an error of the connection that was to be accepted, which is gone with it.
      return true;
  }
}

void OsTcpListener::rest() {
  want(0);
  pause_->arm(reactor().now() + kAcceptPause);
  if (!std::exchange(short_of_descriptors_, true)) handler_->on_accept_rests();
}

}  // namespace

Result<std::unique_ptr<driver::TcpListener>> listen_tcp(Lingering& lingering, const Endpoint& at) {
  const SocketAddress address = SocketAddress::from(at);
  UniqueFd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return io_error(errno);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!at.address.is_v4()) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) return io_error(errno);
  if (::bind(fd.get(), address.get(), address.length) != 0) return io_error(errno);
  if (::listen(fd.get(), SOMAXCONN) != 0) return io_error(errno);
  auto listener = std::make_unique<OsTcpListener>(lingering, std::move(fd));
  TRY(listener->start());
  return listener;
}

}  // namespace karst::platform
