#pragma once

#include "base/bytes.h"
#include "crypto/digest.h"
#include "crypto/secret.h"
#include "keys/policy.h"

namespace karst::keys {

// 32 bytes of the TLS exporter (RFC 8446 section 7.5) with kTlsExporterLabel and an empty context:
// the stream carrier's connection, known to its two ends only.
using TlsExporter = crypto::Secret<32, struct TlsExporterTag>;
using TranscriptHash = crypto::Sha256Digest;

// The running hash of a handshake (docs/protocol/session.md, Transcript). Each record is added with
// its plaintext bytes as they travelled.
class Transcript {
 public:
  // `exporter` is empty on the datagram carrier and 32 bytes on the stream carrier (checked).
  Transcript(Carrier carrier, Bytes exporter);

  void add(Bytes record) { hash_.update(record); }
  TranscriptHash hash() const { return hash_.current(); }

 private:
  crypto::Sha256 hash_;
};

}  // namespace karst::keys
