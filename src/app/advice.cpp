#include "app/advice.h"

#include "driver/client_link.h"
#include "keys/handshake_error.h"
#include "keys/policy.h"
#include "stream/client_connection.h"
#include "stream/client_tunnel.h"
#include "stream/link_end.h"
#include "stream/proxy/open_result.h"
#include "stream/tls/error.h"

namespace karst::app {
namespace {

struct Entry {
  const ErrorKind* kind;
  std::string_view advice;
  bool final;
};

// The same in docs/operations.md, Troubleshooting.
constexpr Entry kEntries[] = {
    {&driver::kTimedOut, "the path went silent; nothing to do unless it lasts", false},
    {&stream::tls::kPinMismatch, "ask the server's keeper whether its key changed; else stop here",
     true},
    {&stream::tls::kProtocol, "something else has that port, or changes what passes", false},
    {&stream::tls::kCertificateDates, "set this machine's clock, or renew the certificate there",
     false},
    {&stream::tls::kUntrustedCertificate, "ask for a new invite: it pins the server's key", true},
    {&stream::tls::kWrongHost, "ask for a new invite: it pins the server's key", true},
    {&stream::kNotAdmitted, "ask the server's keeper for a new invite", true},
    {&stream::kRevoked, "ask the server's keeper for a new invite", true},
    {&stream::kNotATunnel, "ask for a new invite; compare `websocket` on both sides", true},
    {&stream::kNoWebSocket, "something else has that port, or a proxy stands in front", true},
    {&stream::kNotHttp2, "something else has that port, or a proxy stands in front", true},
    {&stream::kSetupTimeout, "the path is very slow or something swallows what passes", false},
    {&keys::kWrongServer, "ask the server's keeper for a new invite", true},
    {&keys::kPolicyBelowFloor, "compare `policy` and `policy_floor` on both sides", true},
};

// What to look at depends on how a connection failed.
std::string_view connect_advice(std::int64_t detail) {
  using enum stream::proxy::OpenResult;
  if (detail == static_cast<int>(refused)) return "is `karst up` running there, on that port?";
  if (detail == static_cast<int>(name_not_found)) {
    return "check the name in client.toml and this machine's name server";
  }
  if (detail == static_cast<int>(internal)) return "check this machine's network and name server";
  if (detail == static_cast<int>(network_unreachable)) return "is this machine on a network?";
  return "check the server's address, port and firewall; is it up?";
}

const Entry* find(const Error& error) {
  for (const Entry& entry : kEntries) {
    if (error.is(*entry.kind)) return &entry;
  }
  return nullptr;
}

}  // namespace

std::string_view advice(const Error& error) {
  if (error.is(driver::kCannotConnect)) return connect_advice(error.detail());
  const Entry* entry = find(error);
  return entry == nullptr ? std::string_view{} : entry->advice;
}

bool is_final(const Error& error) {
  const Entry* entry = find(error);
  return entry != nullptr && entry->final;
}

}  // namespace karst::app
