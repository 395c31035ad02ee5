#pragma once

#include <cstdint>
#include <variant>

#include "base/time.h"
#include "wire/frame.h"
#include "wire/goaway.h"
#include "wire/open.h"
#include "wire/open_result.h"
#include "wire/report.h"
#include "wire/reset.h"

namespace karst::stream::mux {

using wire::StreamId;

// Server only: the client wants this; answer with accept() or refuse().
struct Opened {
  StreamId stream;
  wire::Open open;
};
// Client only: the server's answer. Unless the code is ok the stream is over.
struct Answered {
  StreamId stream;
  wire::OpenResult result;
};
// Bytes, or datagrams of a UDP association, came in where there were none waiting. Read until
// there are none: the event comes once for all that is there.
struct Readable {
  StreamId stream;
};
// There is room to send again after prepare_send() had none.
struct Writable {
  StreamId stream;
};
// The peer's FIN came: what is still to be read is the last. Comes after the Readable for it.
// at_end: there is nothing to read. Otherwise Mux::at_end() tells after consume_received().
struct Finished {
  StreamId stream;
  bool at_end;
};
// The stream is over: all that was queued in both directions is gone. By us only where the
// multiplexer did it itself (out of memory, after GOAWAY), not after reset().
enum class Side : std::uint8_t { us, peer };
struct Ended {
  StreamId stream;
  wire::ResetReason reason;
  Side by;
};
// IP packets came in where there were none waiting.
struct PacketsReady {};
// The peer answered a ping() after this time.
struct PongReceived {
  Duration round_trip;
};
struct GoingAway {
  wire::GoAway goaway;
};
struct Reported {
  wire::Report report;
};

using Event = std::variant<Opened, Answered, Readable, Writable, Finished, Ended, PacketsReady,
                           PongReceived, GoingAway, Reported>;

}  // namespace karst::stream::mux
