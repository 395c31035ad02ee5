#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/memory_budget.h"
#include "stream/mux/packet_queue.h"
#include "stream/mux/packet_sender.h"
#include "stream/mux/receive_half.h"
#include "stream/mux/scheduler.h"
#include "stream/mux/send_half.h"
#include "stream/mux/wait_account.h"
#include "wire/open.h"
#include "wire/open_result.h"
#include "wire/reset.h"

namespace karst::stream::mux {

// The frames of a stream that wait to be written, in this order.
struct DueFrames {
  std::optional<wire::Open> open;
  std::optional<wire::OpenResult> result;
  std::optional<wire::ResetReason> reset;
};

// Everything about one stream that is not closed: a record of state, whose rules are in
// stream_set.h and in the halves.
struct Stream {
  // Where it stands between being open and being forgotten. Ended means a RESET or a failed
  // OPEN_RESULT: of an ordinary end by FIN the halves know.
  enum class Life : std::uint8_t {
    open,
    ending,  // by us: the frame that says so is due; or by the peer: our answer is due
    ended,   // our last frame is written; the peer's is awaited
  };
  enum class Blocked : std::uint8_t { no, stream_credit, link_credit };
  struct Datagrams {
    PacketSender out;
    PacketQueue in;
  };

  Stream(wire::StreamId number, wire::StreamKind stream_kind, MemoryBudget& budget)
      : id(number), kind(stream_kind), charge(budget) {
    flow.stream = number;
    if (kind == wire::StreamKind::udp) datagrams = std::make_unique<Datagrams>();
  }

  // The peer will send nothing more on it.
  bool peer_ended() const { return peer_reset || receive.finished(); }
  // We have sent our last on it.
  bool we_ended() const { return life == Life::ended || send.state() == SendHalf::State::finished; }
  std::size_t footprint() const {
    const std::size_t queues = send.queue().footprint() + receive.queue().footprint();
    if (!datagrams) return queues;
    return queues + datagrams->out.queue().footprint() + datagrams->in.footprint();
  }

  const wire::StreamId id;
  const wire::StreamKind kind;
  Life life = Life::open;
  bool peer_reset = false;
  // No OPEN_RESULT yet, received by a client, written by a server; an end counts as one.
  bool pending = true;
  // A client may send at once, a server once it has accepted.
  bool may_send = false;

  SendHalf send;
  ReceiveHalf receive;
  std::unique_ptr<Datagrams> datagrams;  // of a UDP association only

  DueFrames due;
  bool listed_due = false;     // in StreamSet's list of streams with DueFrames
  bool listed_credit = false;  // in its list of streams whose CREDIT is due
  Blocked blocked = Blocked::no;
  bool wants_room = false;     // a Writable is to follow
  bool readable_told = false;  // a Readable is in the event queue
  Flow flow;
  WaitAccount waits;
  MemoryCharge charge;
};

}  // namespace karst::stream::mux
