#include <array>

#include "base/check.h"
#include "stream/proxy/socks5_udp.h"

using namespace karst::stream::proxy;

// A header that is accepted, written back, names the same target before the same payload.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto datagram = parse_socks_datagram({data, size});
  if (!datagram.ok()) return 0;
  std::array<std::uint8_t, kSocksDatagramHeaderBytesMax> space;
  karst::Writer writer(space);
  write_socks_datagram_header(datagram->target, writer);
  karst::ByteVector again(space.begin(),
                          space.begin() + static_cast<std::ptrdiff_t>(writer.written()));
  again.insert(again.end(), datagram->payload.begin(), datagram->payload.end());
  const auto reread = parse_socks_datagram(again);
  CHECK(reread.ok() && reread->target == datagram->target);
  CHECK(karst::equal(reread->payload, datagram->payload));
  return 0;
}
