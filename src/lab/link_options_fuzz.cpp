#include "base/bytes.h"
#include "base/check.h"
#include "lab/link_options.h"

// The input's lines are the options, in order. What is accepted is within the bounds that the
// emulator counts on.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  std::string_view rest = as_text({data, size});
  const auto line = [&rest] {
    const std::size_t end = rest.find('\n');
    const std::string out(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return out;
  };
  lab::LinkOptions options;
  for (std::string* option :
       {&options.rtt, &options.rate, &options.queue, &options.loss, &options.bursts,
        &options.jitter, &options.reorder, &options.duplicate, &options.mtu}) {
    *option = line();
  }
  options.outages = {line()};
  options.rebinds = {line()};
  const auto settings = lab::parse_link(options);
  if (!settings) {
    CHECK(!settings.error().empty());
    return 0;
  }
  for (const lab::DirectionSettings& each : {settings->forward, settings->back}) {
    CHECK(each.delay >= Duration::zero() && each.delay <= std::chrono::seconds(5));
    CHECK(each.loss.parts_per_billion <= lab::kCertain);
    CHECK(each.rate <= 100'000'000'000);
  }
  return 0;
}
