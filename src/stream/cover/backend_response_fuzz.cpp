#include <string>

#include "base/bytes.h"
#include "base/check.h"
#include "stream/cover/backend_response.h"

namespace {

using namespace karst;
using namespace karst::stream::cover;

constexpr Moment kMoment{TimePoint(1000s), {784'111'777}};

std::string outcome(Bytes input, std::size_t piece, std::uint8_t kind) {
  BackendResponse response({.answers_head = (kind & 1) != 0,
                            .socket_key = (kind & 2) ? "dGhlIHNhbXBsZSBub25jZQ==" : ""});
  std::size_t fed = 0;
  while (!input.empty()) {
    const Bytes next = input.first(std::min(piece, input.size()));
    input = input.subspan(next.size());
    fed += next.size();
    response.receive(next);
    CHECK(response.body().size() <= fed);
  }
  if (kind & 4) response.end();
  std::string text = std::to_string(static_cast<int>(response.state())) + "\n";
  if (const auto head = response.poll_head(kMoment)) {
    CHECK(head->status >= 101 && head->status != 102 && head->status <= 999);
    CHECK(head->headers.count("date") >= 1);
    CHECK(head->headers.count("connection") + head->headers.count("transfer-encoding") == 0);
    text += std::to_string(head->status) + "\n";
    for (const Header& header : head->headers) text += header.name + ":" + header.value + "\n";
  }
  // What fails, fails at the same byte, but the bytes before it may have been given in vain.
  if (response.state() == BackendResponse::State::failed) return text;
  while (!response.body().empty()) {
    text += as_text(response.body().front());
    response.body().consume(response.body().front().size());
  }
  return text;
}

}  // namespace

// However a backend's bytes are cut, the answer is the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Bytes input(data + 2, size - 2);
  const std::uint8_t kind = data[1];
  CHECK(outcome(input, data[0] % 32 + 1u, kind) == outcome(input, size, kind));
  return 0;
}
