#include "wire/fuzz_record.h"
#include "wire/m1.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::wire;
  round_trip({data, size}, parse_m1, format_m1);
  return 0;
}
