#include "wire/credit.h"
#include "wire/fuzz_round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::wire::check_round_trip({data, size}, karst::wire::parse_stream_credit);
  karst::wire::check_round_trip({data, size}, karst::wire::parse_link_credit);
  return 0;
}
