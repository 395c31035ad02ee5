#include "wire/fuzz_round_trip.h"
#include "wire/open_result.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::wire::check_round_trip({data, size}, karst::wire::parse_open_result);
  return 0;
}
