#include <array>

#include "base/check.h"
#include "stream/proxy/socks5_udp.h"

// A header that parses is written back so that it parses to the same target, and the payload is the
// rest of the input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::proxy;
  const auto datagram = parse_socks_datagram({data, size});
  if (!datagram) return 0;
  CHECK(datagram->payload.size() < size);
  CHECK(datagram->payload.data() + datagram->payload.size() == data + size);

  std::array<std::uint8_t, kSocksDatagramHeaderBytesMax> space;
  karst::Writer writer(space);
  write_socks_datagram_header(datagram->target, writer);
  const auto again = parse_socks_datagram(karst::Bytes(space).first(writer.written()));
  CHECK(again.ok() && again->target == datagram->target && again->payload.empty());
  return 0;
}
