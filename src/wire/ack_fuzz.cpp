#include "base/check.h"
#include "wire/ack.h"

// What parses formats back to the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  const Bytes input(data, size);
  const auto ack = wire::parse_ack(input);
  if (!ack.ok()) {
    CHECK(ack.error().is(wire::kBadAck));
    return 0;
  }
  std::array<std::uint8_t, wire::kAckBytes> again{};
  wire::format_ack(*ack, again);
  CHECK(equal(again, input));
  return 0;
}
