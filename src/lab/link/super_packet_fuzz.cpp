#include "base/check.h"
#include "lab/link/super_packet.h"
#include "lab/link/too_big_answer.h"

// Whatever parses can be cut anywhere, and the pieces together hold the whole payload.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  auto packet = lab::SuperPacket::parse(to_vector({data, size}));
  if (!packet.ok()) return 0;
  std::size_t wire = 0;
  for (std::size_t i = 0; i < packet->segments(); ++i) {
    const lab::SuperPacket cut = packet->cut(i, 1);
    CHECK(cut.segments() == 1 && cut.wire_bytes(0) == packet->wire_bytes(i));
    wire += packet->wire_bytes(i);
  }
  CHECK(packet->cut(0, packet->segments()).bytes().size() == size);
  CHECK(wire + lab::kVnetHeaderBytes >= size);
  if (const auto answer = lab::too_big_answer(*packet, 1280)) {
    CHECK(lab::SuperPacket::parse(*answer).ok());
  }
  if (packet->source_port() != 0) packet->set_source_port(1);
  return 0;
}
