#include "wire/fuzz_round_trip.h"
#include "wire/reset.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::wire::check_round_trip({data, size}, karst::wire::parse_reset);
  return 0;
}
