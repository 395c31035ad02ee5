#include "driver/udp_waiting.h"

#include "base/check.h"

namespace karst::driver {

bool UdpWaiting::hold(std::size_t bytes) {
  const std::size_t left = kOfAll - all_;
  const std::size_t wanted = own_ + bytes;
  if (wanted > kOfLink || wanted > left) return false;
  own_ = wanted;
  all_ += bytes;
  charge_.set(own_);
  return true;
}

void UdpWaiting::release(std::size_t bytes) {
  CHECK(own_ >= bytes);
  own_ -= bytes;
  all_ -= bytes;
  charge_.set(own_);
}

}  // namespace karst::driver
