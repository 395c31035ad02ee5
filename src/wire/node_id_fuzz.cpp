#include "base/bytes.h"
#include "base/check.h"
#include "wire/node_id.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  if (const auto id = wire::NodeId::parse(as_text({data, size}))) {
    CHECK(id->text().size() == size);
    CHECK(wire::NodeId::parse(id->text()).value() == *id);
  }
  return 0;
}
