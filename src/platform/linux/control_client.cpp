#include "platform/linux/control_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "driver/ports.h"
#include "platform/linux/clock.h"
#include "platform/linux/io_error.h"
#include "platform/linux/unix_socket.h"

namespace karst::platform {

Result<ControlClient> ControlClient::connect(const std::string& path, Duration patience) {
  auto fd = connect_unix(path);
  if (fd.ok()) return ControlClient(std::move(*fd), patience);
  const Error error = fd.error();
  if (error.is(driver::kRefused)) return kDaemonNotRunning;
  if (error.is(driver::kSystem) && error.detail() == ENOENT) return kDaemonNotRunning;
  if (error.is(driver::kPermission)) return kDaemonForbids;
  if (error.is(driver::kWouldBlock)) return kDaemonSilent;
  return error;
}

Result<std::string> ControlClient::ask(std::string_view request) {
  if (request.size() > kControlRequestBytesMax) return kControlTooLong;
  const TimePoint deadline = monotonic_now() + patience_;
  const auto header = control_header(request.size());
  TRY(send(as_text(header), deadline));
  TRY(send(request, deadline));
  std::string reply(kControlHeaderBytes, '\0');
  TRY(receive(reply, deadline));
  const std::size_t length = control_length(reply);
  if (length > kControlReplyBytesMax) return kControlTooLong;
  reply.resize(length);
  TRY(receive(reply, deadline));
  return reply;
}

Result<void> ControlClient::wait(short events, TimePoint deadline) {
  pollfd poll{.fd = fd_.get(), .events = events, .revents = 0};
  for (;;) {
    const auto left = to_milliseconds(deadline - monotonic_now());
    const int ready = ::poll(&poll, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready > 0) return {};
    if (ready == 0 && left <= 0) return kDaemonSilent;
    if (ready < 0 && errno != EINTR) return io_error(errno);
  }
}

Result<void> ControlClient::send(std::string_view bytes, TimePoint deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return kDaemonHungUp;
    if (sent < 0) {
      TRY(wait(POLLOUT, deadline));
    } else {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  return {};
}

Result<void> ControlClient::receive(std::string& bytes, TimePoint deadline) {
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::recv(fd_.get(), bytes.data() + have, bytes.size() - have, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return kDaemonHungUp;
    if (got < 0) {
      TRY(wait(POLLIN, deadline));
    } else {
      have += static_cast<std::size_t>(got);
    }
  }
  return {};
}

}  // namespace karst::platform
