#include "base/check.h"
#include "wire/handshake_codec.h"

// A record of nothing but common values: what reads without an error is written again as it was.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  using namespace karst::wire;
  RecordReader record({data, size}, RecordKind::m3, kM3BytesMax);
  const std::uint16_t window = read_window(record, 1);
  const PolicyAdvert policy = read_policy(record, 2);
  const Capabilities capabilities = read_capabilities(record, 3);
  const crypto::AeadKind aead = read_aead(record, 4);
  const ReceiverId receiver = read_receiver(record, 5);
  const UnixTime time = read_time(record, 6);
  const crypto::HybridPublic identity = read_identity(record, 7);
  const crypto::HybridSignature signature = read_signature(record);
  if (!record.finish()) return 0;
  RecordWriter out(RecordKind::m3);
  out.u16(1, window);
  write_policy(out, 2, policy);
  write_capabilities(out, 3, capabilities);
  out.u8(4, static_cast<std::uint8_t>(aead));
  out.u24(5, receiver.value);
  out.u64(6, static_cast<std::uint64_t>(time.seconds));
  write_identity(out, 7, identity);
  write_signature(out, signature);
  const ByteVector written = std::move(out).finish();
  CHECK(written.size() < size || equal(written, {data, size}));
  CHECK(unsigned_part(written).size() + kFieldHeaderBytes + kSignatureBytes == written.size());
  return 0;
}
