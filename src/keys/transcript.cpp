#include "keys/transcript.h"

#include "base/check.h"
#include "keys/labels.h"

namespace karst::keys {

Transcript::Transcript(Carrier carrier, Bytes exporter) {
  CHECK(exporter.size() == (carrier == Carrier::stream ? TlsExporter::kBytes : 0));
  hash_.update_prefixed(as_bytes(kSuite));
  const std::uint8_t carrier_byte = static_cast<std::uint8_t>(carrier);
  hash_.update({&carrier_byte, 1});
  hash_.update_prefixed(exporter);
}

}  // namespace karst::keys
