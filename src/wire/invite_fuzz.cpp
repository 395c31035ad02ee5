#include "base/check.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "wire/invite.h"

// Once as the text, and once as the content behind a right checksum, so that the checksum does not
// keep the fuzzer out.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  using namespace karst::wire;
  const Bytes input(data, size);
  if (const auto invite = parse_invite(as_text(input))) {
    CHECK(format_invite(*invite).expose_text() == as_text(input));
  }
  ByteVector content = to_vector(input);
  const auto check = crypto::sha256({as_bytes("karst/1 invite"), input});
  content.insert(content.end(), check.begin(), check.begin() + 4);
  const std::string text = "karst://" + crypto::base64url(content);
  if (const auto invite = parse_invite(text)) {
    CHECK(format_invite(*invite).expose_text() == text);
  }
  return 0;
}
