#include "base/bytes.h"
#include "base/check.h"
#include "stream/cover/site_path.h"

// Whatever is asked for, the name lies within the site and is its own meaning.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::cover;
  const std::string_view target = karst::as_text({data, size});
  const Target parts = split_target(target);
  CHECK(parts.path.size() + parts.query.size() == size);
  const auto name = decode_path(parts.path);
  if (!name) return 0;
  CHECK(name->starts_with('/') && name->size() <= parts.path.size());
  const std::string inside = *name + '/';
  CHECK(inside.find("/../") == inside.npos && inside.find("/./") == inside.npos);
  CHECK(name->find("//") == name->npos && name->find('\0') == name->npos);
  const std::string encoded = encode_path(*name);
  CHECK(is_clean_target(encoded));
  CHECK(decode_path(encoded) == name);
  return 0;
}
