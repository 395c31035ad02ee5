#include "lab/soak_verdict.h"

#include <algorithm>

#include "lab/format.h"
#include "lab/verdict.h"

namespace karst::lab {
namespace {

constexpr double kMiB = 1 << 20;

enum class Unit : std::uint8_t { bytes, pieces };

std::string text(double value, Unit unit) {
  return unit == Unit::bytes ? format("%.1f MiB", value / kMiB) : format("%.0f", value);
}

using Values = std::vector<double>;

double largest(Values values) { return values.empty() ? 0 : std::ranges::max(values); }

// One number of a process, compared between two quarters.
struct Measure {
  const char* name;
  std::uint64_t ProcessSample::* value;
  double (*of)(Values);
  double growth;
  std::uint64_t allowance;
  Unit unit;
};
constexpr Measure kMeasures[] = {
    {"memory", &ProcessSample::resident_bytes, largest, kMemoryGrowth, kMemoryAllowance,
     Unit::bytes},
    {"descriptors", &ProcessSample::descriptors, largest, 1, kDescriptorAllowance, Unit::pieces},
    {"keys", &ProcessSample::keys, median, kFlatGrowth, kKeyAllowance, Unit::pieces},
    {"queues", &ProcessSample::queued_bytes, median, kFlatGrowth, kQueueAllowance, Unit::bytes},
    {"streams", &ProcessSample::streams, median, kFlatGrowth, kStreamAllowance, Unit::pieces},
};

using Process = ProcessSample SoakSample::*;

Values in_quarter(const std::vector<SoakSample>& samples, Duration length, int quarter,
                  Process process, std::uint64_t ProcessSample::* value) {
  Values out;
  for (const SoakSample& sample : samples) {
    const bool last = quarter == 3;
    if (sample.at < length * quarter / 4 || (!last && sample.at >= length * (quarter + 1) / 4)) {
      continue;
    }
    out.push_back(static_cast<double>(sample.*process.*value));
  }
  return out;
}

SoakRule compare(const Measure& measure, const char* whose, const Values& before,
                 const Values& after) {
  const double most = measure.of(before) * measure.growth + static_cast<double>(measure.allowance);
  const double found = measure.of(after);
  // What was never there was not measured: a process that has gone holds nothing.
  const bool seen = largest(after) > 0 || measure.value == &ProcessSample::queued_bytes;
  return {.what = std::string(whose) + " " + measure.name,
          .wanted = "at most " + text(most, measure.unit),
          .measured = seen ? text(found, measure.unit) : "nothing",
          .ok = seen && found <= most};
}

SoakRule none_of(const char* what, std::uint64_t count) {
  return {.what = what, .wanted = "none", .measured = std::to_string(count), .ok = count == 0};
}

SoakRule carries_on(const char* what, const SoakLoad::Quarters& bytes) {
  const double least = kCarriedLeast * static_cast<double>(bytes[1]);
  const auto found = static_cast<double>(bytes[3]);
  return {.what = what,
          .wanted = "at least " + text(least, Unit::bytes),
          .measured = text(found, Unit::bytes),
          .ok = found > 0 && found >= least};
}

void judge_load(std::vector<SoakRule>& out, const SoakLoad& load) {
  out.push_back(carries_on("carried up", load.up_by_quarter));
  out.push_back(carries_on("carried down", load.down_by_quarter));
  const std::uint64_t fewest = std::ranges::min(load.short_streams_by_quarter);
  out.push_back({.what = "short streams in each quarter",
                 .wanted = "at least 1",
                 .measured = std::to_string(fewest),
                 .ok = fewest > 0});
  out.push_back({.what = "load",
                 .wanted = "every byte as sent",
                 .measured = load.failure.empty() ? "as sent" : load.failure,
                 .ok = load.failure.empty()});
}

SoakRule statuses(const std::vector<SoakSample>& samples) {
  const auto unread =
      static_cast<std::uint64_t>(std::ranges::count_if(samples, [](const SoakSample& sample) {
        return !sample.client.status_read || !sample.server.status_read;
      }));
  const auto most = static_cast<std::uint64_t>(kUnreadMost * static_cast<double>(samples.size()));
  return {.what = "statuses not read",
          .wanted = "at most " + std::to_string(most),
          .measured = std::to_string(unread),
          .ok = unread <= most};
}

}  // namespace

std::vector<SoakRule> judge_soak(const std::vector<SoakSample>& samples, Duration length,
                                 const SoakLoad& load) {
  std::vector<SoakRule> out;
  const auto quarter = [&](int number, Process process, std::uint64_t ProcessSample::* value) {
    return in_quarter(samples, length, number, process, value);
  };
  const std::size_t fewest = std::min(quarter(1, &SoakSample::client, &ProcessSample::keys).size(),
                                      quarter(3, &SoakSample::client, &ProcessSample::keys).size());
  out.push_back({.what = "samples in a quarter",
                 .wanted = "at least " + std::to_string(kSamplesLeast),
                 .measured = std::to_string(fewest),
                 .ok = fewest >= kSamplesLeast});
  for (const auto& [whose, process] :
       {std::pair("client", &SoakSample::client), std::pair("server", &SoakSample::server)}) {
    for (const Measure& measure : kMeasures) {
      out.push_back(compare(measure, whose, quarter(1, process, measure.value),
                            quarter(3, process, measure.value)));
    }
  }
  std::uint64_t expiries = 0;
  for (const SoakSample& sample : samples) {
    expiries =
        std::max({expiries, sample.client.deadline_expiries, sample.server.deadline_expiries});
  }
  out.push_back(none_of("rekey deadlines expired", expiries));
  // A link that ends takes its counters along; a new attempt betrays it.
  const std::uint64_t attempts =
      samples.empty() ? 0 : samples.back().client.attempts - samples.front().client.attempts;
  out.push_back(none_of("links lost", attempts));
  out.push_back(statuses(samples));
  judge_load(out, load);
  return out;
}

}  // namespace karst::lab
