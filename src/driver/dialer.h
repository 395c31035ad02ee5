#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "driver/link_look_ups.h"
#include "driver/ports.h"
#include "stream/proxy/egress_policy.h"
#include "stream/proxy/happy_eyeballs.h"
#include "stream/proxy/target.h"

namespace karst::driver {

// Makes one TCP connection to a name or address: resolves both families and races the addresses
// that the policy allows (RFC 8305). The result comes once, from a callback or from start(), and
// may destroy the dialer. Destroying it gives up.
class Dialer {
 public:
  // The connected socket, or null and the most telling reason.
  using Done = std::move_only_function<void(std::unique_ptr<TcpStream>, stream::proxy::OpenResult)>;

  // `policy` is borrowed, and so is `look_ups`, which stands in the ports' place for them.
  Dialer(stream::proxy::Target target, const stream::proxy::EgressPolicy& policy, Ports& ports,
         Done done, const stream::proxy::HappyEyeballsConfig& config = {},
         LinkLookUps* look_ups = nullptr);
  ~Dialer();
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  void start();

 private:
  class Attempt;

  void look_up(AddressFamily family);
  void handle_answer(AddressFamily family, const Result<std::vector<IpAddress>>& answer);
  void handle_attempt(std::uint32_t id, Result<void> result);
  void advance();
  void finish(std::unique_ptr<TcpStream> stream, stream::proxy::OpenResult result);

  const stream::proxy::Target target_;
  const stream::proxy::EgressPolicy& policy_;
  Ports& ports_;
  LinkLookUps* const look_ups_;
  Done done_;
  stream::proxy::HappyEyeballs race_;
  std::unique_ptr<Timer> timer_;
  std::array<std::unique_ptr<Lookup>, 2> lookups_;
  std::map<std::uint32_t, std::unique_ptr<Attempt>> attempts_;
};

}  // namespace karst::driver
