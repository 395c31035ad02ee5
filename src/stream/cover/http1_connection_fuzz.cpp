#include "base/bytes.h"
#include "base/check.h"
#include "stream/cover/http1_connection.h"
#include "stream/cover/site.h"

namespace {

using namespace karst;
using namespace karst::stream::cover;

constexpr Moment kMoment{TimePoint(1000s), {784'111'777}};

FileTree files() {
  FileTree tree;
  tree["/index.html"] = {to_vector(as_bytes("<p>front</p>\n")), {784'000'000}};
  tree["/dir/big.txt"] = {ByteVector(20'000, 'b'), {784'000'000}};
  return tree;
}

struct Outcome {
  ByteVector output;
  bool finished = false;
  bool operator==(const Outcome&) const = default;
};

void poll(Http1Connection& connection, std::size_t space_bytes, ByteVector& output) {
  ByteVector space(space_bytes);
  while (const auto count = connection.poll_output(space, kMoment)) {
    output.insert(output.end(), space.begin(), space.begin() + static_cast<std::ptrdiff_t>(*count));
  }
  CHECK(!connection.poll_output(space, kMoment));
}

// What comes back when the input comes in pieces of that size.
Outcome run(Bytes input, std::size_t piece, std::size_t space) {
  Site site(files(), "/live");
  Http1Connection connection({ConnectionKey{1}, "192.0.2.7"}, site, kMoment);
  Outcome outcome;
  ByteVector unread;
  while (!input.empty() || !unread.empty()) {
    const Bytes next = input.first(std::min(piece, input.size()));
    input = input.subspan(next.size());
    unread.insert(unread.end(), next.begin(), next.end());
    const std::size_t taken = connection.handle_input(unread, kMoment);
    CHECK(taken <= unread.size());
    unread.erase(unread.begin(), unread.begin() + static_cast<std::ptrdiff_t>(taken));
    const std::size_t before = outcome.output.size();
    poll(connection, space, outcome.output);
    CHECK(!connection.finished() || !connection.next_deadline());
    // Whoever neither reads nor writes nor ends would be stuck for ever.
    CHECK(taken > 0 || outcome.output.size() > before || connection.finished() || !next.empty() ||
          unread.empty());
  }
  connection.handle_end(kMoment);
  poll(connection, space, outcome.output);
  outcome.finished = connection.finished();
  CHECK(outcome.finished);
  return outcome;
}

}  // namespace

// However a client's bytes are cut, the answers are the same; and every connection comes to an end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t piece = data[0] % 64 + 1u;
  const Bytes input(data + 1, size - 1);
  CHECK(run(input, piece, piece) == run(input, input.size() + 1, 65'536));
  return 0;
}
