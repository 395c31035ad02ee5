#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/ip.h"
#include "base/result.h"
#include "lab/link_runner.h"
#include "platform/linux/net_namespace.h"

namespace karst::lab {

// Two network namespaces joined by an emulated link, with loopback and one interface `wire` each.
// All of it vanishes with this object.
class LabNetwork {
 public:
  // The maxima that the lab gives TCP in both namespaces, as bytes, and what else it sets there.
  static constexpr std::uint64_t kTcpBufferMax = std::uint64_t{128} << 20;
  static constexpr std::uint32_t kMtu = 1500;

  static Result<std::unique_ptr<LabNetwork>> create(const LinkSettings& settings);

  // Through create() only.
  LabNetwork(platform::NetNamespace near, platform::NetNamespace far,
             std::unique_ptr<LinkRunner> link)
      : near_(std::move(near)), far_(std::move(far)), link_(std::move(link)) {}

  const platform::NetNamespace& at(Side side) const { return side == Side::near ? near_ : far_; }
  LinkRunner& link() { return *link_; }

  // How far the kernel may grow TCP's buffers in both namespaces: of connections made afterwards.
  Result<void> set_tcp_buffer_max(std::uint64_t bytes);

  // What TCP in both namespaces uses unless an application says otherwise; new namespaces have the
  // host's. kSystem if the kernel does not know it or this user may not.
  Result<void> set_congestion_control(const std::string& name);
  // What TCP is set to in one namespace, as /proc/sys/net/ipv4 there says; by name.
  Result<std::map<std::string, std::string>> tcp_settings(Side side) const;

  static IpAddress address_v4(Side side);
  static IpAddress address_v6(Side side);

  // Names them karst-near-PID and karst-far-PID for `ip netns exec`; false where that needs root.
  bool publish();
  static std::string name(Side side);

 private:
  platform::NetNamespace near_;
  platform::NetNamespace far_;
  std::unique_ptr<LinkRunner> link_;
};

}  // namespace karst::lab
