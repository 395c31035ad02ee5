#include "lab/lab_network.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "driver/ports.h"
#include "platform/linux/interface_setup.h"

namespace karst::lab {
namespace {

constexpr const char* kInterface = "wire";
// What waits between the kernel and the emulator; the emulator's own queue is the one that counts.
constexpr std::uint32_t kQueueLength = 10'000;

struct Setting {
  const char* path;
  const char* value;
};
// Every setting is of the namespace alone.
constexpr Setting kSettings[] = {
    {"/proc/sys/net/ipv4/tcp_rmem", "4096 131072 134217728"},
    {"/proc/sys/net/ipv4/tcp_wmem", "4096 16384 134217728"},
    // Otherwise a run inherits what the one before learned about the path.
    {"/proc/sys/net/ipv4/tcp_no_metrics_save", "1"},
};

// Into the namespace that the calling thread is in: /proc/sys/net shows the reader's own.
Result<void> apply(const Setting& setting) {
  const platform::UniqueFd fd(::open(setting.path, O_WRONLY | O_CLOEXEC));
  const std::string_view value = setting.value;
  if (!fd.valid() || ::write(fd.get(), value.data(), value.size()) < 0) {
    return Error(driver::kSystem, errno);
  }
  return {};
}

Result<platform::TunDevice> furnish(const platform::NetNamespace& where, Side side) {
  TRY_ASSIGN(const auto inside, where.enter());
  TRY_ASSIGN(platform::TunDevice device, platform::TunDevice::create(kInterface));
  TRY(platform::set_up_interface({.name = "lo", .addresses = {}}));
  TRY(platform::set_up_interface(
      {.name = kInterface,
       .mtu = LabNetwork::kMtu,
       .queue_length = kQueueLength,
       .addresses = {{LabNetwork::address_v4(side), 24}, {LabNetwork::address_v6(side), 64}}}));
  for (const Setting& setting : kSettings) TRY(apply(setting));
  return device;
}

}  // namespace

// RFC 2544's range for benchmarks, and RFC 4193's for private use.
IpAddress LabNetwork::address_v4(Side side) {
  return IpAddress::v4({198, 18, 0, static_cast<std::uint8_t>(side == Side::near ? 1 : 2)});
}

IpAddress LabNetwork::address_v6(Side side) {
  return IpAddress::v6({0xfd, 0x6b, 0x61, 0x72, 0x73, 0x74, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                        static_cast<std::uint8_t>(side == Side::near ? 1 : 2)});
}

Result<std::unique_ptr<LabNetwork>> LabNetwork::create(const LinkSettings& settings) {
  TRY_ASSIGN(platform::NetNamespace near, platform::NetNamespace::create());
  TRY_ASSIGN(platform::NetNamespace far, platform::NetNamespace::create());
  TRY_ASSIGN(platform::TunDevice near_device, furnish(near, Side::near));
  TRY_ASSIGN(platform::TunDevice far_device, furnish(far, Side::far));
  TRY_ASSIGN(auto link, LinkRunner::start(std::move(near_device), std::move(far_device), settings));
  return std::make_unique<LabNetwork>(std::move(near), std::move(far), std::move(link));
}

std::string LabNetwork::name(Side side) {
  return (side == Side::near ? "karst-near-" : "karst-far-") + std::to_string(::getpid());
}

bool LabNetwork::publish() {
  return near_.publish(name(Side::near)).ok() && far_.publish(name(Side::far)).ok();
}

}  // namespace karst::lab
