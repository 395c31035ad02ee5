#include "wire/fuzz_record.h"
#include "wire/m2.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::wire;
  round_trip({data, size}, parse_m2_clear, format_m2_clear);
  round_trip({data, size}, parse_m2_sealed, format_m2_sealed);
  return 0;
}
