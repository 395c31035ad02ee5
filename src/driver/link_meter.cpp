#include "driver/link_meter.h"

namespace karst::driver {
namespace {

using stream::LinkBlocked;
using tunnel::Limiter;

static_assert(wire::kReportShares == tunnel::kLimiterCount - 1);

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

wire::Report report_of(const tunnel::LimiterAccount::Times& times,
                       std::string_view congestion_control) {
  wire::Report report;
  report.congestion_control = congestion_control.substr(0, wire::kCongestionControlBytesMax);
  const auto shares = tunnel::LimiterAccount::shares(times);
  for (std::size_t i = 0; i < report.shares.size(); ++i) {
    // Idle, the first, is no busy time. Cut, so that the sum does not pass the whole.
    report.shares[i] = static_cast<std::uint16_t>(shares[i + 1] * wire::kReportShareWhole);
  }
  return report;
}

}  // namespace

void LinkMeter::observe(const stream::Link& link, Credit credit, const CarrierSocket::Flush& flush,
                        TimePoint now) {
  if (account_.current() == Limiter::congestion_window) account_.charge_cpu(flush.late, now);
  account_.set(limiter_of(link, credit, flush.outcome), now);
}

void LinkMeter::sample(TcpStream& socket, std::string_view congestion_control,
                       stream::mux::Mux& mux, TimePoint now) {
  tcp_ = socket.info();
  account_.sample_path({tcp_.busy, tcp_.receive_window_limited, tcp_.send_buffer_limited}, now);
  if (tcp_.rtt > Duration::zero()) mux.set_rtt(tcp_.rtt);
  mux.set_report(report_of(account_.recent(now), congestion_control));
}

void LinkMeter::handle_event(const stream::mux::Event& event) {
  if (const auto* reported = std::get_if<stream::mux::Reported>(&event)) {
    peer_report_ = reported->report;
  }
}

}  // namespace karst::driver
