#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "crypto/secret.h"
#include "stream/tls/error.h"
#include "stream/tls/tls_context.h"

namespace karst::stream::tls {

// Plaintext of one full record: a write of this many bytes is exactly one record of
// kRecordBytes + kRecordOverhead bytes.
inline constexpr std::size_t kRecordBytes = 16'384;
inline constexpr std::size_t kRecordOverhead = 5 + 1 + 16;

using Exporter = crypto::Secret<32, struct TlsExporterTag>;

enum class Alpn : std::uint8_t { http11, h2 };

// One end of one TLS 1.3 connection: bytes in, bytes out, no socket. OpenSSL draws its random
// numbers from its own generator; otherwise nothing here looks outside.
//
//   client: output() holds the ClientHello at once
//   received from TCP      -> feed() (or recv into input_space() and commit_input()),
//                             then read() until it gives 0
//   while handshake_done() -> write(); the caller looks at output_bytes() first: nothing bounds
//                             what it writes ahead of TCP
//   send to TCP            -> output() or gather_output(), then consume_output()
//   TCP ended              -> feed_end()
//   to end                 -> close_notify(), send what is left of output(), close
//
// If read() is called as above, what is held of the peer's bytes is at most one record beyond the
// caller's last piece. After an error every call gives the same error again; output() may hold one
// last alert, then nothing more. Moving keeps everything; not thread-safe.
class TlsConnection {
 public:
  // `now` is what a certificate's dates are compared with; a server has no use for it.
  TlsConnection(const TlsContext& context, UnixTime now);
  ~TlsConnection();
  TlsConnection(TlsConnection&&) noexcept;
  TlsConnection& operator=(TlsConnection&&) noexcept;

  // Takes all of the bytes and carries the handshake on.
  Result<void> feed(Bytes ciphertext);
  // The same without a copy: room for at least one byte, and how many of it were filled.
  MutableBytes input_space();
  Result<void> commit_input(std::size_t filled);
  // The peer's TCP stream has ended. kTruncated unless close_notify came before.
  Result<void> feed_end();

  // Moves plaintext to the front of `space` and says how much: 0 when there is no more for now, or
  // for good (peer_closed()). Gives at most one record per call.
  Result<std::size_t> read(MutableBytes space);
  // Only when handshake_done(). Everything becomes records, full ones as far as it goes; at once,
  // unless the peer has sent a part of a handshake message: then a read() that completes it does
  // it.
  Result<void> write(Bytes plaintext);

  // Ciphertext to be sent: the first contiguous run, or the runs in order. Borrowed until the next
  // non-const call.
  Bytes output() const;
  std::size_t gather_output(std::span<Bytes> runs) const;
  void consume_output(std::size_t count);
  // All that was written and not consumed, also what does not stand in output() yet.
  std::size_t output_bytes() const;
  // The memory of both directions' buffers.
  std::size_t buffer_bytes() const;
  // Gives back the 64 KiB kept for the next burst. For a connection that has become idle: done
  // after every burst it would halve the speed.
  void release_buffers();

  bool handshake_done() const;
  // The rest of this group only when handshake_done().
  Alpn alpn() const;
  // RFC 8446 section 7.5, without a context value. The same on both ends, different on every
  // connection, and known to nobody else.
  Exporter exporter(std::string_view label) const;
  // "X25519MLKEM768", "TLS_AES_128_GCM_SHA256": for a person; they live as long as the program.
  std::string_view group() const;
  std::string_view cipher() const;

  // Announces that nothing more will be written. Reading goes on.
  void close_notify();
  // The peer has announced the same, and everything before it was read.
  bool peer_closed() const;
  // The error that ended the connection.
  const std::optional<Error>& error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace karst::stream::tls
