#pragma once

#include <string>

#include "base/result.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

inline constexpr ErrorKind kNoNamespaces{
    "lab", "no-namespaces",
    "the system does not let us make network namespaces; run as root, or allow user namespaces"};

// A network namespace: interfaces, addresses, routes and sockets of its own. It lives as long as
// this object, a process in it, or a socket made in it.
class NetNamespace {
 public:
  // A new, empty one. The calling thread stays where it is.
  static Result<NetNamespace> create();

  NetNamespace(NetNamespace&& other) noexcept;
  NetNamespace& operator=(NetNamespace&& other) noexcept;
  NetNamespace(const NetNamespace&) = delete;
  ~NetNamespace();

  // Moves the calling thread there until the guard is destroyed, on the same thread.
  class Guard {
   public:
    explicit Guard(UniqueFd back) : back_(std::move(back)) {}
    Guard(Guard&&) = default;
    Guard& operator=(Guard&&) = delete;
    ~Guard();

   private:
    UniqueFd back_;
  };
  Result<Guard> enter() const;

  // Gives it a name by which `ip netns exec NAME` finds it, until this object is destroyed.
  // Needs root.
  Result<void> publish(const std::string& name);
  int fd() const { return fd_.get(); }

 private:
  explicit NetNamespace(UniqueFd fd) : fd_(std::move(fd)) {}
  void withdraw();

  UniqueFd fd_;
  std::string path_;  // of the published name, or empty
};

// For a user who is not root: makes this process root of a user namespace of its own, in a network
// namespace without interfaces, where it may make further ones. To be called before any other
// thread exists. Files keep their owners; nothing outside is gained.
Result<void> become_root_of_user_namespace();

}  // namespace karst::platform
