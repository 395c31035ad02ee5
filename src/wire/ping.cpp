#include "wire/ping.h"

#include "base/reader.h"

namespace karst::wire {

void format(const Ping& ping, Writer& out) { out.u64(ping.token); }

Result<Ping> parse_ping(Bytes payload) {
  Reader in(payload);
  const Ping ping{in.u64()};
  if (!in.finished()) return kPingMalformed;
  return ping;
}

}  // namespace karst::wire
