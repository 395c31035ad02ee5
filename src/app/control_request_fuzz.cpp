#include "app/control_request.h"
#include "app/lifetime.h"
#include "base/bytes.h"
#include "base/check.h"

// A request that is accepted is bounded and says the same when it is written again; an answer is
// good, or carries a reason and nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::app;
  const std::string_view text = karst::as_text({data, size});
  if (const auto request = parse_request(text)) {
    CHECK(request->lifetime_seconds >= 0 && request->lifetime_seconds <= kLifetimeSecondsMax);
    CHECK(*parse_request(format_request(*request)) == *request);
  }
  const ControlAnswer answer = parse_answer(text);
  CHECK(answer.ok == answer.error.empty());
  CHECK(!parse_invite_answer(text) || answer.ok);
  return 0;
}
