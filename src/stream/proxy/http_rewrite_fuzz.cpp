#include "base/check.h"
#include "stream/proxy/http_rewrite.h"

// An absolute URL comes apart into an authority without a path (to be parsed as a target by whoever
// asked) and a path that is one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::proxy;
  const std::string_view url = karst::as_text({data, size});
  for (const std::string_view method : {"GET", "OPTIONS"}) {
    const auto parts = parse_absolute_url(url, method);
    if (!parts) continue;
    CHECK(parts->authority.find_first_of("/?#@") == std::string_view::npos);
    CHECK(parts->origin_form.starts_with('/') || parts->origin_form == "*");
    CHECK(parts->origin_form.find('#') == std::string::npos);
  }
  return 0;
}
