#include "wire/datagram.h"

#include <utility>

#include "base/reader.h"

namespace karst::wire {

std::size_t formatted_size(const Datagram& datagram) {
  return formatted_size(datagram.peer) + datagram.payload.size();
}

void format(const Datagram& datagram, Writer& out) {
  format(datagram.peer, out);
  out.bytes(datagram.payload);
}

Result<Datagram> parse_datagram(Bytes payload) {
  Reader in(payload);
  Target peer = read_target(in);
  if (!in.ok()) return kDatagramMalformed;
  return Datagram{std::move(peer), in.rest()};
}

}  // namespace karst::wire
