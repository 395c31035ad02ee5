#include "stream/proxy/udp_relay.h"

#include <algorithm>

namespace karst::stream::proxy {
namespace {

constexpr std::uint16_t kDnsPort = 53;

}  // namespace

void UdpRelayTable::forget_expired(TimePoint now) {
  while (!order_.empty() && now - order_.back().last >= kUdpIdleTime) {
    by_endpoint_.erase(order_.back().endpoint);
    order_.pop_back();
  }
}

void UdpRelayTable::handle_sent(const Endpoint& to, TimePoint now) {
  forget_expired(now);
  const auto [at, added] = by_endpoint_.try_emplace(to);
  if (added) {
    if (by_endpoint_.size() > kUdpTargetsMax) {
      by_endpoint_.erase(order_.back().endpoint);
      order_.pop_back();
    }
    order_.push_front({to, now, kUdpIdleTime});
    at->second = order_.begin();
    return;
  }
  *at->second = {to, now, kUdpIdleTime};
  order_.splice(order_.begin(), order_, at->second);
}

bool UdpRelayTable::handle_received(const Endpoint& from, TimePoint now) {
  forget_expired(now);
  const auto at = by_endpoint_.find(from);
  if (at == by_endpoint_.end()) return false;
  Entry& entry = *at->second;
  if (now - entry.last >= entry.keep) return false;
  // A late second answer does not keep it.
  if (entry.keep == kUdpAnsweredDnsTime) return true;
  if (from.port == kDnsPort) entry.keep = kUdpAnsweredDnsTime;
  entry.last = now;
  order_.splice(order_.begin(), order_, at->second);
  return true;
}

}  // namespace karst::stream::proxy
