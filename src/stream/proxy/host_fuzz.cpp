#include "base/check.h"
#include "stream/proxy/target.h"

using namespace karst::stream::proxy;

// What is accepted is written back as what gives the same host and target, within the bounds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = karst::as_text({data, size});
  if (const auto host = parse_host(text)) {
    if (const auto* name = std::get_if<HostName>(&*host)) {
      CHECK(name->text().size() <= kHostNameBytesMax + 1);
      CHECK(!karst::IpAddress::parse(name->text()));
      CHECK(HostName::parse(name->text()) == *name);
    }
  }
  if (const auto target = Target::from_authority(text, 80)) {
    CHECK(target->port != 0);
    CHECK(Target::from_authority(target->text()) == target);
  }
  return 0;
}
