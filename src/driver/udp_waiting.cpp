#include "driver/udp_waiting.h"

#include "base/check.h"

namespace karst::driver {

bool UdpWaiting::begin_look_up() {
  const std::size_t left = kLookUpsOfAll - all_.look_ups;
  if (own_.look_ups >= kLookUpsOfLink || own_.look_ups >= left) return false;
  ++own_.look_ups;
  ++all_.look_ups;
  return true;
}

void UdpWaiting::end_look_up() {
  CHECK(own_.look_ups > 0);
  --own_.look_ups;
  --all_.look_ups;
}

bool UdpWaiting::hold(std::size_t bytes) {
  const std::size_t left = kBytesOfAll - all_.bytes;
  const std::size_t wanted = own_.bytes + bytes;
  if (wanted > kBytesOfLink || wanted > left) return false;
  own_.bytes = wanted;
  all_.bytes += bytes;
  charge_.set(own_.bytes);
  return true;
}

void UdpWaiting::release(std::size_t bytes) {
  CHECK(own_.bytes >= bytes);
  own_.bytes -= bytes;
  all_.bytes -= bytes;
  charge_.set(own_.bytes);
}

}  // namespace karst::driver
