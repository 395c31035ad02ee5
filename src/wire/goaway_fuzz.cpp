#include "wire/fuzz_round_trip.h"
#include "wire/goaway.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::wire::check_round_trip({data, size}, karst::wire::parse_goaway);
  return 0;
}
