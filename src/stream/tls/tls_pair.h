#pragma once

// Two connections joined in memory, for tests, fuzz targets and benchmarks.

#include <string>
#include <utility>

#include "base/check.h"
#include "stream/tls/certificate.h"
#include "stream/tls/tls_connection.h"

namespace karst::stream::tls {

inline constexpr UnixTime kTestNow{1'800'000'000};
inline constexpr UnixTime kTestBefore{1'700'000'000};
inline constexpr UnixTime kTestAfter{1'900'000'000};

inline SelfSigned test_certificate(std::string name = "site.example") {
  return make_self_signed(std::span(&name, 1), kTestBefore, kTestAfter);
}

inline TlsContext server_context(const SelfSigned& own) {
  auto made = TlsContext::server({own.certificate_pem, own.key_pem});
  CHECK(made.ok());
  return std::move(*made);
}

inline TlsContext pinned_context(const SelfSigned& server, std::string name = "site.example") {
  const auto pin = spki_pin(server.certificate_pem);
  CHECK(pin.ok());
  auto made = TlsContext::client({.trust = PinnedKey{*pin}, .server_name = std::move(name)});
  CHECK(made.ok());
  return std::move(*made);
}

// Moves everything `from` has to send to `to`; whether there was something.
inline bool carry(TlsConnection& from, TlsConnection& to) {
  bool moved = false;
  while (!from.output().empty()) {
    const Bytes run = from.output();
    (void)to.feed(run);
    from.consume_output(run.size());
    moved = true;
  }
  return moved;
}

inline void carry_both_ways(TlsConnection& a, TlsConnection& b) {
  for (bool moved = true; moved;) {
    moved = carry(a, b);
    moved = carry(b, a) || moved;
  }
}

inline ByteVector read_all(TlsConnection& connection) {
  ByteVector all;
  ByteVector space(kRecordBytes);
  for (;;) {
    const auto count = connection.read(space);
    if (!count.ok() || *count == 0) return all;
    all.insert(all.end(), space.begin(), space.begin() + static_cast<std::ptrdiff_t>(*count));
  }
}

// A client that pins and the server it pins, their handshake done.
struct TlsPair {
  SelfSigned certificate = test_certificate();
  TlsContext server_side = server_context(certificate);
  TlsContext client_side = pinned_context(certificate);
  TlsConnection client{client_side, kTestNow};
  TlsConnection server{server_side, kTestNow};

  TlsPair() { carry_both_ways(client, server); }
};

}  // namespace karst::stream::tls
