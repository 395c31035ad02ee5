#include <array>

#include "base/check.h"
#include "wire/frame.h"

namespace karst::wire {
namespace {

// Walking the frames and writing them back gives the same record, and the walk fails exactly
// where classify_record() does.
void walk(Bytes plaintext) {
  const auto kind = classify_record(plaintext);
  auto frames = FrameReader::of(plaintext);
  CHECK(frames.ok() || !kind.ok());
  if (!frames.ok()) return;
  std::array<std::uint8_t, kPlaintextBytesMax> space;
  Writer out(space);
  bool counted = false;
  bool ratchet = false;
  while (!frames->at_end()) {
    const auto frame = frames->next();
    CHECK(frame.ok() || !kind.ok());
    if (!frame.ok()) return;
    write_frame_header(out, frame->type, frame->stream, frame->payload.size());
    out.bytes(frame->payload);
    counted = counted || is_counted(frame->type);
    ratchet = ratchet || frame->type == FrameType::offer || frame->type == FrameType::ack;
  }
  CHECK(equal(Bytes(space).first(out.written()), plaintext));
  if (!kind.ok()) {
    CHECK(kind.error().is(kFrameNotAlone) && ratchet);
    return;
  }
  CHECK((*kind == RecordKind::counted) == counted);
  CHECK((*kind == RecordKind::ratchet) == ratchet);
  if (ratchet) {
    const RatchetFrame frame = ratchet_frame(plaintext);
    const std::size_t size = format_ratchet_record(frame.type, frame.message, space);
    CHECK(equal(Bytes(space).first(size), plaintext));
  }
}

}  // namespace
}  // namespace karst::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::wire::walk({data, size});
  return 0;
}
