#include "lab/soak_verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr Duration kLength = 400s;  // with a sample each 10 s: ten in each quarter

using Change = std::function<void(SoakSample&, std::size_t number)>;

// Forty samples of two processes that hold the same all the time, but for what `change` does.
std::vector<SoakSample> samples_with(const Change& change) {
  std::vector<SoakSample> out;
  for (std::size_t i = 0; i < 40; ++i) {
    const ProcessSample same{.resident_bytes = 40 * kMiB,
                             .descriptors = 30,
                             .keys = 64,
                             .queued_bytes = 2 * kMiB,
                             .streams = 10,
                             .deadline_expiries = 0,
                             .attempts = 1};
    SoakSample sample{.at = 10s * i, .client = same, .server = same};
    change(sample, i);
    out.push_back(sample);
  }
  return out;
}

SoakLoad steady() {
  return {.up_by_quarter = {80 * kMiB, 100 * kMiB, 100 * kMiB, 100 * kMiB},
          .down_by_quarter = {80 * kMiB, 100 * kMiB, 100 * kMiB, 100 * kMiB},
          .short_streams_by_quarter = {10, 10, 10, 10}};
}

// The names of the rules that are broken.
std::vector<std::string> broken(const std::vector<SoakSample>& samples,
                                const SoakLoad& load = steady()) {
  std::vector<std::string> out;
  for (const SoakRule& rule : judge_soak(samples, kLength, load)) {
    if (!rule.ok) out.push_back(rule.what);
  }
  return out;
}

using Names = std::vector<std::string>;

TEST(SoakVerdict, a_process_that_holds_the_same_all_the_time_passes) {
  EXPECT_EQ(broken(samples_with([](SoakSample&, std::size_t) {})), Names{});
}

TEST(SoakVerdict, growth_of_the_first_quarter_is_warm_up) {
  EXPECT_EQ(broken(samples_with([](SoakSample& sample, std::size_t i) {
              if (i < 10) sample.client.resident_bytes = (10 + i) * kMiB;
            })),
            Names{});
}

TEST(SoakVerdict, each_number_that_grows_without_end_is_named) {
  struct Leak {
    const char* name;
    std::uint64_t ProcessSample::* value;
    std::uint64_t step;
  };
  for (const Leak& leak :
       {Leak{"memory", &ProcessSample::resident_bytes, kMiB / 2},
        Leak{"descriptors", &ProcessSample::descriptors, 1}, Leak{"keys", &ProcessSample::keys, 3},
        Leak{"queues", &ProcessSample::queued_bytes, kMiB},
        Leak{"streams", &ProcessSample::streams, 1}}) {
    EXPECT_EQ(broken(samples_with([&leak](SoakSample& sample, std::size_t i) {
                sample.server.*leak.value += i * leak.step;
              })),
              Names{std::string("server ") + leak.name});
  }
}

TEST(SoakVerdict, memory_may_grow_by_a_tenth_and_a_mebibyte_and_not_by_a_byte_more) {
  for (const std::uint64_t more : {0u, 1u}) {
    const auto found = broken(samples_with([more](SoakSample& sample, std::size_t i) {
      if (i == 39) sample.client.resident_bytes = 45 * kMiB + more;
    }));
    EXPECT_EQ(found, more == 0 ? Names{} : Names{"client memory"});
  }
}

TEST(SoakVerdict, two_descriptors_more_pass_and_three_do_not) {
  for (const std::uint64_t more : {2u, 3u}) {
    const auto found = broken(samples_with([more](SoakSample& sample, std::size_t i) {
      if (i == 35) sample.client.descriptors += more;
    }));
    EXPECT_EQ(found, more == 2 ? Names{} : Names{"client descriptors"});
  }
}

TEST(SoakVerdict, one_full_queue_is_no_leak) {
  EXPECT_EQ(broken(samples_with([](SoakSample& sample, std::size_t i) {
              if (i == 35) sample.client.queued_bytes = 90 * kMiB;
            })),
            Names{});
}

TEST(SoakVerdict, an_expired_deadline_and_a_lost_link_fail) {
  EXPECT_EQ(broken(samples_with([](SoakSample& sample, std::size_t i) {
              if (i == 20) sample.server.deadline_expiries = 1;
              if (i > 20) sample.client.attempts = 2;
            })),
            (Names{"rekey deadlines expired", "links lost"}));
}

TEST(SoakVerdict, what_went_wrong_with_the_load_is_said) {
  const auto rules = judge_soak(samples_with([](SoakSample&, std::size_t) {}), kLength,
                                {.bytes = 1, .short_streams = 0, .failure = "a byte is wrong"});
  EXPECT_FALSE(rules.back().ok);
  EXPECT_EQ(rules.back().measured, "a byte is wrong");
}

TEST(SoakVerdict, too_few_samples_prove_nothing) {
  auto samples = samples_with([](SoakSample&, std::size_t) {});
  samples.resize(32);  // two in the last quarter
  EXPECT_EQ(broken(samples), Names{"samples in a quarter"});
  EXPECT_FALSE(broken({}).empty());
}

TEST(SoakVerdict, a_process_that_has_gone_does_not_pass) {
  const auto found = broken(samples_with([](SoakSample& sample, std::size_t i) {
    if (i > 25) sample.client = {};
  }));
  EXPECT_NE(std::ranges::find(found, "client memory"), found.end());
}

TEST(SoakVerdict, what_is_carried_each_way_may_not_fade) {
  const auto samples = samples_with([](SoakSample&, std::size_t) {});
  SoakLoad load = steady();
  load.up_by_quarter[3] = 79 * kMiB;
  EXPECT_EQ(broken(samples, load), Names{"carried up"});
  load = steady();
  load.down_by_quarter = {};
  EXPECT_EQ(broken(samples, load), Names{"carried down"});
}

TEST(SoakVerdict, short_streams_end_in_every_quarter) {
  SoakLoad load = steady();
  load.short_streams_by_quarter[2] = 0;
  EXPECT_EQ(broken(samples_with([](SoakSample&, std::size_t) {}), load),
            Names{"short streams in each quarter"});
}

TEST(SoakVerdict, a_status_that_cannot_be_read_is_no_sign_of_health) {
  EXPECT_EQ(broken(samples_with([](SoakSample& sample, std::size_t i) {
              if (i == 5) sample.server.status_read = false;
            })),
            Names{"statuses not read"});
}

}  // namespace
}  // namespace karst::lab
