#include "keys/transcript.h"

#include <gtest/gtest.h>

#include "keys/labels.h"

namespace karst::keys {
namespace {

TEST(TlsExporter, has_the_label_and_the_size_of_the_protocol) {
  EXPECT_EQ(kTlsExporterLabel, "EXPORTER-karst/1");
  EXPECT_EQ(TlsExporter::kBytes, 32u);
}

}  // namespace
}  // namespace karst::keys
