#pragma once

#include "base/writer.h"
#include "keys/ratchet_pair_for_test.h"
#include "stream/record/record_opener.h"
#include "stream/record/record_sealer.h"

namespace karst::stream::record {

// Room for a record whose plaintext is one frame of that type, header included in `size`.
inline ByteVector frame_record(wire::FrameType type, std::size_t size) {
  ByteVector space(kRecordOverheadBytes + size);
  Writer writer(MutableBytes(space).subspan(kRecordHeaderBytes));
  const auto stream = type == wire::FrameType::data ? 1u : 0u;
  wire::write_frame_header(writer, type, wire::StreamId{stream}, size - wire::kFrameHeaderBytes);
  return space;
}

// Both ends of a link with the records of the direction from client to server.
struct RecordPair {
  explicit RecordPair(std::uint16_t window = 2)
      : ratchets(keys::RatchetPair::parameters(keys::kExtreme, window), keys::DepthMode::fixed,
                 now),
        sealer(ratchets.client.send_epochs()),
        opener(ratchets.server.stream_receive()) {}

  ByteVector seal(wire::FrameType type = wire::FrameType::data, std::size_t size = 100) {
    ByteVector record = frame_record(type, size);
    const auto kind =
        wire::is_counted(type) ? wire::RecordKind::counted : wire::RecordKind::uncounted;
    sealer.seal(kind, record, now);
    return record;
  }
  Result<OpenedRecord> open(ByteVector& record) { return opener.open(record, now); }
  // Lets the client offer and the server answer as long as the client wants; calls back with each
  // exchange. The messages themselves do not travel in records.
  template <class OnExchange>
  void exchange(OnExchange on_exchange) {
    for (;;) {
      const auto offer = ratchets.client.next_control(now);
      if (!offer.ok() || !offer->has_value()) return;
      const ByteVector offer_body = to_vector((*offer)->body);
      CHECK(ratchets.server.handle_offer(offer_body, now).ok());
      const auto ack = ratchets.server.next_control(now);
      CHECK(ack.ok() && ack->has_value());
      CHECK(ratchets.client.handle_ack((*ack)->body, now).ok());
      on_exchange(offer_body, to_vector((*ack)->body));
    }
  }
  void exchange() {
    exchange([](const ByteVector&, const ByteVector&) {});
  }

  TimePoint now{std::chrono::seconds(1000)};
  keys::RatchetPair ratchets;
  RecordSealer sealer;
  RecordOpener opener;
};

}  // namespace karst::stream::record
