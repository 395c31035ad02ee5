#include "wire/fin.h"
#include "wire/fuzz_round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::wire::check_round_trip({data, size}, karst::wire::parse_fin);
  return 0;
}
