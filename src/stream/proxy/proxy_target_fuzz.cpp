#include "base/check.h"
#include "stream/proxy/target.h"

// What parses is written back in a form that parses to the same value, and a name is never one that
// some resolver would read as an address.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::proxy;
  const std::string_view text = karst::as_text({data, size});
  if (const auto name = HostName::parse(text)) {
    CHECK(HostName::parse(name->text()) == name);
    CHECK(name->text().size() <= kHostNameBytesMax);
    const std::size_t last = name->text().find_last_not_of('.');
    CHECK(last != std::string::npos);
    const std::string_view stem = std::string_view(name->text()).substr(0, last + 1);
    const std::string_view label = stem.substr(stem.rfind('.') + 1);
    CHECK(label.find_first_not_of("0123456789") != label.npos);
  }
  for (const std::uint16_t default_port : {std::uint16_t{0}, std::uint16_t{443}}) {
    const auto target = Target::parse(text, default_port);
    if (!target) continue;
    CHECK(target->port != 0);
    CHECK(Target::parse(target->text()) == target);
  }
  return 0;
}
