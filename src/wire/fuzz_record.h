#pragma once

#include "base/bytes.h"
#include "base/check.h"

namespace karst::wire {

// For fuzz targets: what parses is written again, and that is either the same bytes or, where the
// input held unknown fields, shorter and stable.
template <class Parse, class Format>
void round_trip(Bytes input, Parse parse, Format format) {
  const auto value = parse(input);
  if (!value) return;
  const ByteVector written = format(*value);
  CHECK(equal(written, input) || written.size() < input.size());
  const auto again = parse(written);
  CHECK(again.ok());
  CHECK(format(*again) == written);
}

}  // namespace karst::wire
