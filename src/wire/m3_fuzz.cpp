#include "wire/fuzz_record.h"
#include "wire/m3.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::wire;
  round_trip({data, size}, parse_m3, format_m3);
  return 0;
}
