#pragma once

#include <array>

#include "base/bytes.h"
#include "base/check.h"
#include "base/writer.h"
#include "wire/limits.h"

// For the fuzz targets of this folder: whatever parses is written back as the very same bytes, so
// no message has two forms, and nothing that parses is out of its bounds.
namespace karst::wire {

template <class Parse>
void check_round_trip(Bytes input, Parse parse) {
  if (input.size() > kPlaintextBytesMax) return;
  const auto message = parse(input);
  if (!message.ok()) return;
  std::array<std::uint8_t, kPlaintextBytesMax> space;
  Writer out(space);
  format(*message, out);
  CHECK(equal(Bytes(space).first(out.written()), input));
  if constexpr (requires { formatted_size(*message); }) {
    CHECK(formatted_size(*message) == input.size());
  }
}

}  // namespace karst::wire
