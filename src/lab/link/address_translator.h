#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "lab/link/super_packet.h"

namespace karst::lab {

// A port-translating gateway in front of the near side, as far as the far side can notice one.
// Until the first rebind ports pass unchanged. After each rebind the flows from the near side get
// new source ports, and what comes back for an old mapping, or for none, is dropped.
class AddressTranslator {
 public:
  static constexpr std::size_t kMappingsMax = 65'536;

  void rebind();
  // From the near side. False: no mapping is free.
  bool outward(SuperPacket& packet);
  // To the near side. False: it belongs to no mapping.
  bool inward(SuperPacket& packet) const;

 private:
  using Flow = std::pair<bool, std::uint16_t>;  // is it UDP, and the port

  std::uint16_t mask_ = 0;
  std::map<Flow, std::uint16_t> inner_ports_;  // by outer port
};

}  // namespace karst::lab
