#include "driver/link_meter.h"

namespace karst::driver {
namespace {

using stream::LinkBlocked;
using tunnel::Limiter;

Limiter limiter_of(const stream::Link& link, LinkMeter::Credit credit,
                   CarrierSocket::Outcome outcome) {
  const LinkBlocked blocked = link.blocked();
  if (outcome == CarrierSocket::Outcome::socket_full) return Limiter::congestion_window;
  if (outcome == CarrierSocket::Outcome::out_of_turn) return Limiter::cpu;
  switch (blocked) {
    case LinkBlocked::idle:
      return link.mux().status().streams == 0 ? Limiter::idle : Limiter::application;
    case LinkBlocked::ratchet:
      return Limiter::ratchet;
    case LinkBlocked::mux_credit:
      return Limiter::mux_credit;
    case LinkBlocked::ready:
      break;
  }
  if (credit.connection <= 0) return Limiter::h2_connection_credit;
  if (credit.stream <= 0) return Limiter::h2_stream_credit;
  return Limiter::cpu;
}

}  // namespace

void LinkMeter::observe(const stream::Link& link, Credit credit, const CarrierSocket::Flush& flush,
                        TimePoint now) {
  if (account_.current() == Limiter::congestion_window) account_.charge_cpu(flush.late, now);
  account_.set(limiter_of(link, credit, flush.outcome), now);
}

void LinkMeter::sample(TcpStream& socket, TimePoint now) {
  tcp_ = socket.info();
  account_.sample_path({tcp_.busy, tcp_.receive_window_limited, tcp_.send_buffer_limited}, now);
}

}  // namespace karst::driver
