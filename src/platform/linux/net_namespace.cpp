#include "platform/linux/net_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>

#include "base/check.h"
#include "driver/ports.h"

namespace karst::platform {
namespace {

constexpr const char* kOwn = "/proc/thread-self/ns/net";
// Where iproute2 keeps its names.
constexpr const char* kNames = "/run/netns";

Result<UniqueFd> open_own() {
  UniqueFd fd(::open(kOwn, O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Error(driver::kSystem, errno);
  return fd;
}

Result<void> write_file(const char* path, const std::string& text) {
  const UniqueFd fd(::open(path, O_WRONLY | O_CLOEXEC));
  if (!fd.valid() || ::write(fd.get(), text.data(), text.size()) < 0) {
    return Error(kNoNamespaces, errno);
  }
  return {};
}

}  // namespace

Result<NetNamespace> NetNamespace::create() {
  Result<UniqueFd> made = kNoNamespaces;
  // A thread of its own, so that ours never leaves its namespace.
  std::thread([&made] {
    made = ::unshare(CLONE_NEWNET) == 0 ? open_own() : Error(kNoNamespaces, errno);
  }).join();
  if (!made.ok()) return made.error();
  return NetNamespace(std::move(*made));
}

NetNamespace::NetNamespace(NetNamespace&& other) noexcept
    : fd_(std::move(other.fd_)), path_(std::exchange(other.path_, {})) {}

NetNamespace& NetNamespace::operator=(NetNamespace&& other) noexcept {
  if (this != &other) {
    withdraw();
    fd_ = std::move(other.fd_);
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

NetNamespace::~NetNamespace() { withdraw(); }

void NetNamespace::withdraw() {
  if (path_.empty()) return;
  ::umount2(path_.c_str(), MNT_DETACH);
  ::unlink(path_.c_str());
  path_.clear();
}

Result<NetNamespace::Guard> NetNamespace::enter() const {
  TRY_ASSIGN(UniqueFd back, open_own());
  if (::setns(fd_.get(), CLONE_NEWNET) != 0) return Error(driver::kSystem, errno);
  return Guard(std::move(back));
}

// Work that goes on in the wrong namespace could reach the real network.
NetNamespace::Guard::~Guard() {
  if (back_.valid()) CHECK(::setns(back_.get(), CLONE_NEWNET) == 0);
}

Result<void> NetNamespace::publish(const std::string& name) {
  ::mkdir(kNames, 0755);
  const std::string path = std::string(kNames) + "/" + name;
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  if (!file.valid()) return Error(driver::kSystem, errno);
  const std::string own = "/proc/self/fd/" + std::to_string(fd_.get());
  if (::mount(own.c_str(), path.c_str(), "none", MS_BIND, nullptr) != 0) {
    const Error error(driver::kSystem, errno);
    ::unlink(path.c_str());
    return error;
  }
  path_ = path;
  return {};
}

Result<void> become_root_of_user_namespace() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  // A network namespace of our own as well: nobody may come back to one that he does not own.
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return Error(kNoNamespaces, errno);
  TRY(write_file("/proc/self/setgroups", "deny"));
  TRY(write_file("/proc/self/uid_map", "0 " + std::to_string(user) + " 1"));
  return write_file("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
}

}  // namespace karst::platform
