#include "base/check.h"
#include "keys/registry_state.h"

// What parses is written again, the same in content: the order of lines is that of their ids.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  const auto state = keys::parse_registry(as_text({data, size}));
  if (!state) return 0;
  const auto written = keys::format_registry(*state);
  CHECK(written.size() == size);
  const auto again = keys::parse_registry(written.expose_text());
  CHECK(again.ok() && again->clients.size() == state->clients.size() &&
        again->invites.size() == state->invites.size());
  CHECK(keys::format_registry(*again).expose_text() == written.expose_text());
  return 0;
}
