#include "platform/linux/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "driver/ports.h"
#include "platform/linux/io_error.h"

namespace karst::platform {
namespace {

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return io_error(ENAMETOOLONG);
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Result<UniqueFd> new_socket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return io_error(errno);
  return fd;
}

// Removes a socket file at which nobody listens any more.
void remove_stale(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  const auto answer = connect_unix(path);
  if (!answer.ok() && answer.error().is(driver::kRefused)) ::unlink(path.c_str());
}

}  // namespace

Result<UniqueFd> listen_unix(const std::string& path) {
  TRY_ASSIGN(const sockaddr_un address, address_of(path));
  TRY_ASSIGN(UniqueFd fd, new_socket());
  remove_stale(path);
  // On Linux the file that bind() makes takes the mode of the socket, so it is never open to more.
  if (::fchmod(fd.get(), 0600) != 0) return io_error(errno);
  if (::bind(fd.get(), generic(address), sizeof address) != 0) return io_error(errno);
  if (::listen(fd.get(), 16) != 0) return io_error(errno);
  return fd;
}

Result<UniqueFd> connect_unix(const std::string& path) {
  TRY_ASSIGN(const sockaddr_un address, address_of(path));
  TRY_ASSIGN(UniqueFd fd, new_socket());
  // A Unix socket connects at once or not at all; EAGAIN is a full queue.
  if (::connect(fd.get(), generic(address), sizeof address) != 0) return io_error(errno);
  return fd;
}

bool peer_is_trusted(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return false;
  return peer.uid == ::geteuid() || peer.uid == 0;
}

}  // namespace karst::platform
