#include "base/check.h"
#include "base/reader.h"
#include "keys/client_registry.h"

// The input is a list of operations on a registry whose disk fails at will. What is on disk must
// always be what the registry says is durable, and each ticket gets exactly one outcome, in order.
namespace {

using namespace karst;
using namespace karst::keys;

struct Fuzz {
  explicit Fuzz(Bytes input) : in(input) {}

  NodeId node() {
    NodeId id;
    id.bytes[0] = in.u8() % 4;
    return id;
  }
  wire::InviteId invite() { return {static_cast<std::uint8_t>(in.u8() % 4)}; }
  std::string name() { return std::string(1, static_cast<char>('a' + in.u8() % 5)); }
  ClientPsk psk() {
    ClientPsk psk;
    psk.expose_mutable()[0] = in.u8();
    return psk;
  }
  void submitted(const Result<ChangeTicket>& ticket) {
    if (ticket) CHECK(*ticket == ++last_ticket);
  }

  void step() {
    switch (in.u8() % 12) {
      case 0:
        return submitted(registry.add_client(node(), name(), psk(), {}));
      case 1:
        return submitted(registry.remove_client(node()));
      case 2:
        return submitted(registry.set_limits(node(), {in.u8(), in.u8()}));
      case 3:
        return submitted(registry.revoke(node()));
      case 4:
        return submitted(registry.restore(node()));
      case 5:
        return submitted(registry.add_invite(invite(), name(), psk(), {in.u8()}, {}));
      case 6:
        return submitted(registry.remove_invite(invite()));
      case 7:
        return submitted(registry.remove_expired_invites({in.u8()}));
      case 8:
        return submitted(
            registry.enrol(node(), invite(), std::make_shared<ClientPsk>(psk()), {in.u8()}));
      case 9:
        return registry.forget_generation_0(node(), std::make_shared<ClientPsk>(psk()));
      case 10:
        return write();
      default:
        now += std::chrono::seconds(in.u8());
    }
  }

  void write() {
    const auto text = registry.poll_write(now);
    if (text) {
      const auto parsed = ClientRegistry::parse(text->expose_text());
      CHECK(parsed.ok() && parsed->format().expose_text() == text->expose_text());
      CHECK(!registry.poll_write(now));
      registry.written(in.u8() % 2 ? WriteOutcome::durable : WriteOutcome::failed, now);
    }
    while (const auto outcome = registry.poll_outcome()) CHECK(outcome->ticket() == ++last_outcome);
    CHECK(last_outcome <= last_ticket);
  }

  Reader in;
  ClientRegistry registry;
  TimePoint now{std::chrono::hours(1)};
  ChangeTicket last_ticket = 0;
  ChangeTicket last_outcome = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fuzz fuzz({data, size});
  while (fuzz.in.remaining() > 0) fuzz.step();
  fuzz.write();
  fuzz.write();
  CHECK(fuzz.last_outcome == fuzz.last_ticket);
  return 0;
}
