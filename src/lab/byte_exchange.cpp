#include "lab/byte_exchange.h"

#include <array>
#include <optional>

#include "lab/socks_client.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

constexpr Duration kByteDeadline = std::chrono::seconds(5);

}  // namespace

Result<void> exchange_byte(const LabNetwork& network, const Route& route) {
  const TimePoint deadline = platform::monotonic_now() + kByteDeadline;
  std::optional<platform::BlockingListener> listener;
  {
    TRY_ASSIGN(const auto inside, network.at(Side::far).enter());
    TRY_ASSIGN(listener, platform::BlockingListener::open(route.target));
  }
  TRY_ASSIGN(const auto inside, network.at(Side::near).enter());
  TRY_ASSIGN(platform::BlockingTcp near, connect_by(route, deadline));
  std::array<std::uint8_t, 1> byte{1};
  TRY(near.send_all(byte, deadline));
  TRY_ASSIGN(platform::BlockingTcp far, listener->accept(deadline));
  TRY(far.receive_all(byte, deadline));
  TRY(far.send_all(byte, deadline));
  return near.receive_all(byte, deadline);
}

}  // namespace karst::lab
