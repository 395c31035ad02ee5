#pragma once

#include "base/bytes.h"
#include "base/time.h"
#include "crypto/aead.h"
#include "crypto/sign.h"
#include "wire/handshake_values.h"
#include "wire/tlv.h"

// How the common values of handshake records are read and written; used by m1, m2, m3 and ok, and
// by whoever signs a record.

namespace karst::wire {

inline constexpr std::size_t kIdentityBytes =
    crypto::kEd25519PublicBytes + crypto::kMlDsaPublicBytes;
inline constexpr std::size_t kSignatureBytes =
    crypto::kEd25519SignatureBytes + crypto::kMlDsaSignatureBytes;
inline constexpr std::size_t kPolicyBytes = 20;

// Each reads the required field `id`. After an error the value means nothing.
std::uint16_t read_window(RecordReader& record, std::uint8_t id);
PolicyAdvert read_policy(RecordReader& record, std::uint8_t id);
Capabilities read_capabilities(RecordReader& record, std::uint8_t id);
crypto::AeadKind read_aead(RecordReader& record, std::uint8_t id);
ReceiverId read_receiver(RecordReader& record, std::uint8_t id);
UnixTime read_time(RecordReader& record, std::uint8_t id);
crypto::HybridPublic read_identity(RecordReader& record, std::uint8_t id);
crypto::HybridSignature read_signature(RecordReader& record);

void write_policy(RecordWriter& record, std::uint8_t id, const PolicyAdvert& policy);
void write_capabilities(RecordWriter& record, std::uint8_t id, const Capabilities& capabilities);
void write_identity(RecordWriter& record, std::uint8_t id, const crypto::HybridPublic& identity);
void write_signature(RecordWriter& record, const crypto::HybridSignature& signature);

// What the signer of a record signs (through the transcript's hash): all of it before the signature
// field. The record must be one that ends with a signature field, as parsed or formatted.
Bytes unsigned_part(Bytes record);
// Overwrites the signature of a formatted record.
void place_signature(MutableBytes record, const crypto::HybridSignature& signature);

}  // namespace karst::wire
