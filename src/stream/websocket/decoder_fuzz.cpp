// Any bytes as a stream to a decoder of either role. However they are cut, the outcome is the same;
// what is accepted survives being written again by the other end; memory stays within the limit.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/check.h"
#include "stream/websocket/decoder.h"
#include "stream/websocket/encoder.h"
#include "stream/websocket/utf8.h"

namespace karst::stream::websocket {
namespace {

constexpr std::size_t kMaxBytes = 4096;

struct Told {
  Opcode opcode;
  ByteVector payload;
  std::uint16_t close_code;
  bool operator==(const Told&) const = default;
};

struct Outcome {
  std::vector<Told> messages;
  std::optional<std::pair<const ErrorKind*, std::int64_t>> error;
  bool operator==(const Outcome&) const = default;
};

Outcome decode_all(Role self, Bytes stream, std::size_t cut) {
  Decoder decoder(self, kMaxBytes);
  Outcome outcome;
  while (!stream.empty()) {
    Bytes piece = stream.first(std::min(cut, stream.size()));
    stream = stream.subspan(piece.size());
    for (;;) {
      const auto message = decoder.decode(piece);
      CHECK(decoder.held_bytes() <= 64 * 1024);
      if (!message.ok()) {
        outcome.error.emplace(&message.error().kind(), message.error().detail());
        return outcome;
      }
      if (!*message) break;
      const Told told{(*message)->opcode, to_vector((*message)->payload), (*message)->close_code};
      CHECK(told.payload.size() <= kMaxBytes);
      CHECK(told.opcode != Opcode::text || valid_utf8(told.payload));
      outcome.messages.push_back(told);
    }
    CHECK(piece.empty());
  }
  return outcome;
}

void check_round_trip(Role self, const std::vector<Told>& messages) {
  Encoder encoder(self == Role::client ? Role::server : Role::client, Prng(1));
  ByteVector stream;
  for (const Told& message : messages) {
    ByteVector frame(
        std::max(encoder.frame_bytes(message.payload.size()), kMaxHeaderBytes + kMaxControlBytes));
    frame.resize(message.opcode == Opcode::close
                     ? encoder.encode_close(message.close_code, as_text(message.payload), frame)
                     : encoder.encode(message.opcode, message.payload, frame));
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  const Outcome again = decode_all(self, stream, 16'384);
  CHECK(!again.error && again.messages == messages);
}

}  // namespace
}  // namespace karst::stream::websocket

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::websocket;
  if (size < 2) return 0;
  const Role self = (data[0] & 1) != 0 ? Role::client : Role::server;
  const karst::Bytes stream(data + 2, size - 2);
  const Outcome whole = decode_all(self, stream, stream.size() + 1);
  CHECK(decode_all(self, stream, 1 + data[1] % 32) == whole);
  check_round_trip(self, whole.messages);
  return 0;
}
