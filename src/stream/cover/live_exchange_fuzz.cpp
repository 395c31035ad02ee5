#include "base/bytes.h"
#include "base/check.h"
#include "stream/cover/live_exchange.h"

namespace {

using namespace karst;
using namespace karst::stream::cover;

struct Outcome {
  ByteVector output;
  Exchange::Ending ending{};
  bool operator==(const Outcome&) const = default;
};

Outcome run(Bytes input, std::size_t piece) {
  const Moment moment{TimePoint(1000s), {784'111'777}};
  LiveRoom room;
  LiveExchange exchange(room, moment);
  Outcome outcome;
  exchange.poll_response(moment);
  while (!input.empty()) {
    const Bytes next = input.first(std::min(piece, input.size()));
    input = input.subspan(next.size());
    exchange.input(next, moment);
    while (!exchange.output().empty()) {
      const Bytes ready = exchange.output();
      CHECK(ready.size() <= kLiveOutputBytesMax + kRelayBytesMax);
      outcome.output.insert(outcome.output.end(), ready.begin(), ready.end());
      exchange.consume(ready.size(), moment);
    }
  }
  outcome.ending = exchange.ending();
  CHECK(room.visitors() <= 1);
  return outcome;
}

}  // namespace

// However a client's frames are cut, the live page says the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const Bytes input(data + 1, size - 1);
  CHECK(run(input, data[0] % 32 + 1u) == run(input, size));
  return 0;
}
