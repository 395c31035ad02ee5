#include "lab/verdict.h"

#include <algorithm>
#include <cmath>

#include "base/prng.h"

namespace karst::lab {
namespace {

constexpr int kDraws = 2000;
constexpr double kConfidence = 0.90;

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double spread(const std::vector<double>& values) {
  const double middle = median(values);
  if (middle <= 0) return 0;
  const auto [least, most] = std::ranges::minmax(values);
  return (most - least) / middle;
}

double upper_bound_of_median(const std::vector<double>& values) {
  if (values.empty()) return 0;
  Prng prng(1);
  std::vector<double> medians(kDraws);
  for (double& found : medians) {
    std::vector<double> drawn(values.size());
    for (double& value : drawn) value = values[prng.below(values.size())];
    found = median(std::move(drawn));
  }
  std::ranges::sort(medians);
  return medians[static_cast<std::size_t>(kDraws * kConfidence)];
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += std::log(std::max(value, 1e-9));
  return std::exp(sum / static_cast<double>(values.size()));
}

double stream_threshold(const Cell& cell) {
  const double loss = std::stod(cell.loss);
  if (loss > 0.1) return 0.95;
  return cell.traffic == Traffic::both ? 0.96 : 0.97;
}

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::fail:
      return "fail";
  }
  return {};
}

Verdict judge(const std::vector<double>& ratios, double threshold) {
  if (median(ratios) >= threshold) return Verdict::pass;
  return upper_bound_of_median(ratios) < threshold ? Verdict::fail : Verdict::inconclusive;
}

}  // namespace karst::lab
