#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

inline constexpr ErrorKind kNoTun{
    "tun", "no-tun", "no TUN device can be made; is /dev/net/tun there, and are we root?"};

// A TUN interface in the namespace that the calling thread was in when it was made; it vanishes
// with this object. Packets have a virtio header in front (IFF_VNET_HDR), and super-packets of
// TCP and, where the kernel can, UDP pass unsplit with their checksum still to be made.
class TunDevice {
 public:
  // `name` as the interface shall be called, at most 15 characters.
  static Result<TunDevice> create(const std::string& name);

  // The next packet: its length with the virtio header. kWouldBlock when there is none. `space`
  // holds the longest possible, or the packet is cut.
  Result<std::size_t> read(MutableBytes space);
  // kWouldBlock when the kernel takes none now: the packet is lost unless tried again.
  Result<void> write(Bytes packet);

  int fd() const { return fd_.get(); }

 private:
  explicit TunDevice(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace karst::platform
