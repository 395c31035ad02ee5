#include "base/result.h"
#include "wire/fuzz_round_trip.h"
#include "wire/target.h"

namespace {

karst::Result<karst::wire::Target> parse_target(karst::Bytes bytes) {
  static constexpr karst::ErrorKind kNoTarget{"fuzz", "no-target", ""};
  karst::Reader in(bytes);
  karst::wire::Target target = karst::wire::read_target(in);
  if (!in.finished()) return kNoTarget;
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::wire::check_round_trip({data, size}, parse_target);
  return 0;
}
