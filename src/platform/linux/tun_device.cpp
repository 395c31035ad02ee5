#include "platform/linux/tun_device.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "driver/ports.h"

namespace karst::platform {
namespace {

// Linux 6.2; an older linux/if_tun.h does not name them.
constexpr unsigned kUdpSegmentation = 0x20 | 0x40;  // TUN_F_USO4 | TUN_F_USO6

Error call_error() {
  if (errno == EAGAIN || errno == EWOULDBLOCK) return driver::kWouldBlock;
  return Error(driver::kSystem, errno);
}

}  // namespace

Result<TunDevice> TunDevice::create(const std::string& name) {
  UniqueFd fd(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return Error(kNoTun, errno);
  ifreq request{};
  if (name.size() >= sizeof request.ifr_name) return Error(kNoTun, ENAMETOOLONG);
  std::copy(name.begin(), name.end(), request.ifr_name);
  request.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI | IFF_VNET_HDR);
  if (::ioctl(fd.get(), TUNSETIFF, &request) != 0) return Error(kNoTun, errno);
  const unsigned tcp = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
  // A kernel that cannot pass UDP super-packets passes those of TCP.
  for (const unsigned offload : {tcp | kUdpSegmentation, tcp}) {
    if (::ioctl(fd.get(), TUNSETOFFLOAD, static_cast<unsigned long>(offload)) == 0) {
      return TunDevice(std::move(fd));
    }
  }
  return Error(kNoTun, errno);
}

Result<std::size_t> TunDevice::read(MutableBytes space) {
  for (;;) {
    const ssize_t got = ::read(fd_.get(), space.data(), space.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return call_error();
  }
}

Result<void> TunDevice::write(Bytes packet) {
  for (;;) {
    const ssize_t put = ::write(fd_.get(), packet.data(), packet.size());
    if (put >= 0) return {};
    if (errno != EINTR) return call_error();
  }
}

}  // namespace karst::platform
