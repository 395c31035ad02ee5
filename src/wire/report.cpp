#include "wire/report.h"

#include <numeric>

#include "base/check.h"
#include "base/reader.h"
#include "wire/address_type.h"

namespace karst::wire {
namespace {

bool is_sound(const Report& report) {
  return report.congestion_control.size() <= kCongestionControlBytesMax &&
         is_visible_ascii(report.congestion_control) &&
         std::accumulate(report.shares.begin(), report.shares.end(), 0u) <= kReportShareWhole;
}

}  // namespace

std::size_t formatted_size(const Report& report) {
  return 1 + report.congestion_control.size() + 2 * kReportShares;
}

void format(const Report& report, Writer& out) {
  CHECK(is_sound(report));
  out.u8(static_cast<std::uint8_t>(report.congestion_control.size()));
  out.bytes(as_bytes(report.congestion_control));
  for (const std::uint16_t share : report.shares) out.u16(share);
}

Result<Report> parse_report(Bytes payload) {
  Reader in(payload);
  const std::uint8_t length = in.u8();
  if (length > kCongestionControlBytesMax) return kReportMalformed;
  Report report;
  report.congestion_control = as_text(in.bytes(length));
  for (std::uint16_t& share : report.shares) share = in.u16();
  if (!in.finished() || !is_sound(report)) return kReportMalformed;
  return report;
}

}  // namespace karst::wire
