#include "base/check.h"
#include "base/reader.h"
#include "keys/handshake_world_for_test.h"

// The messages of an honest handshake, each changed by a well-keyed attacker inside its seals: byte
// 0 says which, then pairs of position and value. No change may end in the same secrets on both
// sides unless it changed nothing.
namespace {

using namespace karst;
using namespace karst::keys;

void alter(ByteVector& message, Reader& in) {
  while (in.remaining() >= 3 && !message.empty()) {
    const std::size_t at = in.u16() % message.size();
    message[at] = static_cast<std::uint8_t>(message[at] ^ in.u8());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Made once: identities cost far more than a parse.
  static HandshakeWorld& world = *[] {
    static HandshakeWorld made;
    made.register_client();
    return &made;
  }();
  world.now += std::chrono::seconds(2);
  Reader in({data, size});
  const int which = in.u8() % 4;
  const TlsExporter connection = world.new_connection();
  const auto reseal = [&](ByteVector& sealed, Direction direction) {
    ByteVector text = *open_front_stream(world.front.current(), connection, direction, sealed);
    alter(text, in);
    sealed = seal_front_stream(world.front.current(), connection, direction, text);
  };

  ClientHello hello = world.hello(connection, world.by_psk());
  const ByteVector m1 = hello.m1;
  if (which == 0) reseal(hello.m1, Direction::client_to_server);
  auto answer = world.answer(connection, hello.m1);
  if (!answer) return 0;
  const ByteVector m2 = answer->m2;
  if (which == 1) reseal(answer->m2, Direction::server_to_client);
  auto reply = std::move(hello.next).handle(answer->m2, world.entropy);
  if (!reply) return 0;
  const ByteVector m3 = reply->m3;
  if (which == 2) alter(reply->m3, in);
  auto peer = std::move(answer->next).handle(reply->m3, world.registry, kWorldNow, world.entropy);
  if (!peer) return 0;
  CHECK(m1 == hello.m1 && m2 == answer->m2 && m3 == reply->m3);
  ByteVector ok = peer->ok_record({}, {}, world.entropy);
  if (which == 3) alter(ok, in);
  const auto session = std::move(reply->next).handle(ok);
  CHECK(session.ok() || which == 3);
  return 0;
}
