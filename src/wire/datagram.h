#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "base/writer.h"
#include "wire/target.h"

namespace karst::wire {

inline constexpr ErrorKind kDatagramMalformed{"wire", "datagram-malformed",
                                              "a PACKET of a UDP association cannot be read"};

// PACKET on a UDP association. The payload, which may be empty, is borrowed.
struct Datagram {
  Target peer;  // to from a client, from from a server
  Bytes payload;
};

std::size_t formatted_size(const Datagram& datagram);
void format(const Datagram& datagram, Writer& out);
Result<Datagram> parse_datagram(Bytes payload);

}  // namespace karst::wire
