#include "base/check.h"
#include "stream/proxy/http_rewrite.h"

using namespace karst::stream::proxy;

// An absolute URL that is accepted gives an authority and a path that make the same URL again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = karst::as_text({data, size});
  const auto url = parse_absolute_url(text, "GET");
  if (!url) return 0;
  CHECK(url->origin_form.starts_with('/'));
  CHECK(url->authority.find_first_of("/?#@") == std::string_view::npos);
  const std::string again = "http://" + std::string(url->authority) + url->origin_form;
  const auto reread = parse_absolute_url(again, "GET");
  CHECK(reread && reread->authority == url->authority && reread->origin_form == url->origin_form);
  return 0;
}
