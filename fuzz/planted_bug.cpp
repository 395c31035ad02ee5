// A target with three faults, for driver_test.py: it aborts on "BUG", reads past the end of "READ"
// and never comes back from "LOOP". With first byte '#' it prints what it was given.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size >= 1 && data[0] == '#') {
    for (std::size_t i = 0; i < size; ++i) std::fprintf(stderr, "%02x", data[i]);
    std::fputc('\n', stderr);
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("BUG")) std::abort();
  if (text == "READ") {
    volatile std::uint8_t past = data[size];
    static_cast<void>(past);
  }
  if (text == "LOOP") {
    for (volatile bool forever = true; forever;) {
    }
  }
  return 0;
}
