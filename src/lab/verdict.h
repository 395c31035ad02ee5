#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/cell.h"

namespace karst::lab {

// Middle value; the mean of the middle two of an even number. 0 of none.
double median(std::vector<double> values);
// (largest - smallest) / median; 0 of none.
double spread(const std::vector<double>& values);
// The value that the median of so many samples drawn from `values` stays under nine times out of
// ten (percentile bootstrap, 2,000 draws, always the same ones).
double upper_bound_of_median(const std::vector<double>& values);
double geometric_mean(const std::vector<double>& values);

// Least median ratio to bare TCP that passes on the stream carrier.
double stream_threshold(const Cell& cell);
inline constexpr double kQuickThreshold = 0.90;
// A quick cell that the machine bounds still fails under this.
inline constexpr double kQuickFloor = 0.75;
// Less processor time than this is none left: what the kernel does between two busy processes.
inline constexpr double kIdleLeast = 0.05;

// A cell whose bare runs spread more than this gets up to kPairsMax pairs.
inline constexpr double kSpreadWanted = 0.15;
inline constexpr std::size_t kPairsMax = 9;
// One that the quick gate finds under its threshold gets so many.
inline constexpr std::size_t kQuickPairsMax = 3;

enum class Verdict : std::uint8_t { pass, inconclusive, fail };
std::string verdict_name(Verdict verdict);

// pass: the median is at or above the threshold. fail: the upper bound of the median is under it.
Verdict judge(const std::vector<double>& ratios, double threshold);

}  // namespace karst::lab
