#include <benchmark/benchmark.h>

#include "stream/proxy/egress_policy.h"

namespace karst::stream::proxy {
namespace {

// Asked once for each connection attempt and each datagram to a new endpoint.
void decide(benchmark::State& state, const char* text) {
  const EgressPolicy policy({}, {*IpAddress::parse("198.51.100.7")});
  const Endpoint to{*IpAddress::parse(text), 443};
  for (auto _ : state) benchmark::DoNotOptimize(policy.decide(to));
}
BENCHMARK_CAPTURE(decide, v4, "8.8.8.8");
BENCHMARK_CAPTURE(decide, v6, "2606:4700::1111");

}  // namespace
}  // namespace karst::stream::proxy
