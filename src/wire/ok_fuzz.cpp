#include "wire/fuzz_record.h"
#include "wire/ok.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::wire;
  round_trip({data, size}, parse_ok, format_ok);
  return 0;
}
