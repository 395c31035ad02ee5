#include "platform/linux/lingering.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace karst::platform {

class Lingering::Socket final : public Source {
 public:
  Socket(Lingering& owner, UniqueFd fd)
      : Source(owner.reactor_),
        owner_(owner),
        fd_(std::move(fd)),
        timeout_(owner.reactor_.timers().make([this] { close(); })) {}

  // False when the socket cannot be waited for.
  bool start() {
    if (::shutdown(fd_.get(), SHUT_WR) != 0) return false;
    if (!watch(fd_.get(), Trigger::edge).ok()) return false;
    want(kReadable);
    timeout_->arm(reactor().now() + owner_.limits_.time);
    return true;
  }

 private:
  friend class Lingering;
  void on_ready() override {
    constexpr std::size_t kAtOnce = 256 * 1024;
    // MSG_TRUNC: TCP discards the bytes without copying them.
    const ssize_t got = ::recv(fd_.get(), nullptr, kAtOnce, MSG_TRUNC | MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (errno == EAGAIN) clear_ready(kReadable);
      return;
    }
    if (got > 0) discarded_ += static_cast<std::size_t>(got);
    if (got <= 0 || discarded_ >= owner_.limits_.bytes) close();
  }
  void close() { owner_.sockets_.erase(place_); }

  Lingering& owner_;
  UniqueFd fd_;
  std::unique_ptr<driver::Timer> timeout_;
  std::list<std::unique_ptr<Socket>>::iterator place_;
  std::size_t discarded_ = 0;
};

Lingering::Lingering(Reactor& reactor, const LingerLimits& limits)
    : reactor_(reactor), limits_(limits) {}

Lingering::~Lingering() = default;

void Lingering::take(UniqueFd fd) {
  auto socket = std::make_unique<Socket>(*this, std::move(fd));
  if (!socket->start()) return;
  if (sockets_.size() == limits_.connections) sockets_.pop_front();
  Socket& added = *socket;
  added.place_ = sockets_.insert(sockets_.end(), std::move(socket));
}

}  // namespace karst::platform
