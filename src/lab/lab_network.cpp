#include "lab/lab_network.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "driver/ports.h"
#include "platform/linux/interface_setup.h"

namespace karst::lab {
namespace {

constexpr const char* kInterface = "wire";
// What waits between the kernel and the emulator; the emulator's own queue is the one that counts.
constexpr std::uint32_t kQueueLength = 10'000;

// Into the namespace that the calling thread is in: /proc/sys/net shows the reader's own.
Result<void> set_own(const char* name, const std::string& value) {
  const std::string path = std::string("/proc/sys/net/ipv4/") + name;
  const platform::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid() || ::write(fd.get(), value.data(), value.size()) < 0) {
    return Error(driver::kSystem, errno);
  }
  return {};
}

std::string read_own(const char* name) {
  std::ifstream in(std::string("/proc/sys/net/ipv4/") + name);
  std::string value;
  std::getline(in, value);
  std::ranges::replace(value, '\t', ' ');
  return value;
}

Result<void> set_own_tcp_buffers(std::uint64_t most) {
  TRY(set_own("tcp_rmem", "4096 131072 " + std::to_string(most)));
  return set_own("tcp_wmem", "4096 16384 " + std::to_string(most));
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
  TRY(set_own_tcp_buffers(LabNetwork::kTcpBufferMax));
  // Otherwise a run inherits what the one before learned about the path.
  TRY(set_own("tcp_no_metrics_save", "1"));
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

Result<void> LabNetwork::set_tcp_buffer_max(std::uint64_t bytes) {
  for (const Side side : {Side::near, Side::far}) {
    TRY_ASSIGN(const auto inside, at(side).enter());
    TRY(set_own_tcp_buffers(bytes));
  }
  return {};
}

Result<void> LabNetwork::set_congestion_control(const std::string& name) {
  for (const Side side : {Side::near, Side::far}) {
    TRY_ASSIGN(const auto inside, at(side).enter());
    TRY(set_own("tcp_congestion_control", name));
  }
  return {};
}

Result<std::map<std::string, std::string>> LabNetwork::tcp_settings(Side side) const {
  TRY_ASSIGN(const auto inside, at(side).enter());
  std::map<std::string, std::string> out;
  for (const char* name :
       {"tcp_allowed_congestion_control", "tcp_available_congestion_control",
        "tcp_congestion_control", "tcp_ecn", "tcp_mtu_probing", "tcp_no_metrics_save",
        "tcp_notsent_lowat", "tcp_rmem", "tcp_sack", "tcp_slow_start_after_idle", "tcp_timestamps",
        "tcp_window_scaling", "tcp_wmem"}) {
    out[name] = read_own(name);
  }
  return out;
}

std::string LabNetwork::name(Side side) {
  return (side == Side::near ? "karst-near-" : "karst-far-") + std::to_string(::getpid());
}

bool LabNetwork::publish() {
  return near_.publish(name(Side::near)).ok() && far_.publish(name(Side::far)).ok();
}

}  // namespace karst::lab
