#pragma once

#include <array>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/writer.h"
#include "wire/limits.h"

namespace karst::wire {

inline constexpr ErrorKind kReportMalformed{"wire", "report-malformed", "a REPORT cannot be read"};

inline constexpr std::size_t kReportShares = 9;
inline constexpr std::uint16_t kReportShareWhole = 10'000;

// REPORT: what the sending side's TCP runs and what limited it lately.
struct Report {
  std::string congestion_control;  // 0 to 15 bytes of 0x21..0x7e
  // Ten-thousandths of busy time, adding up to kReportShareWhole at most, in the order of mux.md,
  // which is that of tunnel::Limiter without idle.
  std::array<std::uint16_t, kReportShares> shares{};

  bool operator==(const Report&) const = default;
};

inline constexpr std::size_t kReportBytesMax = 1 + kCongestionControlBytesMax + 2 * kReportShares;

std::size_t formatted_size(const Report& report);
void format(const Report& report, Writer& out);
Result<Report> parse_report(Bytes payload);

}  // namespace karst::wire
