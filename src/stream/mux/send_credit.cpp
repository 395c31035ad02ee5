#include "stream/mux/send_credit.h"

#include <algorithm>
#include <utility>

#include "stream/mux/error.h"

namespace karst::stream::mux {

std::uint64_t SendCredit::sendable(const Stream& stream) const {
  return std::min<std::uint64_t>(stream.send.sendable(), window_.room(stream.send.outstanding()));
}

namespace {

Wait wait_of(const Stream& stream) {
  if (stream.flow.list != Flow::List::none) return Wait::link;
  switch (stream.blocked) {
    case Stream::Blocked::stream_credit:
      return Wait::stream_credit;
    case Stream::Blocked::link_credit:
      return Wait::link_credit;
    case Stream::Blocked::no:
      break;
  }
  return stream.send.state() == SendHalf::State::open ? Wait::application : Wait::nothing;
}

}  // namespace

void SendCredit::account(Stream& stream) { stream.waits.set(wait_of(stream), link_.now); }

void SendCredit::activate(Stream& stream) {
  if (stream.life != Stream::Life::open || !stream.may_send) return;
  if (stream.flow.list != Flow::List::none) return;
  const bool datagrams = stream.datagrams && !stream.datagrams->out.queue().empty();
  if (datagrams || stream.send.fin_due() || sendable(stream) > 0) {
    set_blocked(stream, Stream::Blocked::no);
    link_.scheduler.add(stream.flow);
  } else if (stream.send.queue().empty()) {
    set_blocked(stream, Stream::Blocked::no);
  } else {
    set_blocked(stream, stream.send.sendable() == 0 ? Stream::Blocked::stream_credit
                                                    : Stream::Blocked::link_credit);
  }
  account(stream);
}

void SendCredit::remove(Stream& stream) {
  link_.scheduler.remove(stream.flow);
  set_blocked(stream, Stream::Blocked::no);
  stream.waits.set(Wait::nothing, link_.now);
}

Result<void> SendCredit::handle_credit(Stream& stream, const wire::StreamCredit& credit) {
  const std::uint64_t before = stream.send.outstanding();
  TRY(stream.send.handle_credit(credit));
  window_.change(before, stream.send.outstanding());
  activate(stream);
  activate_waiting();
  return {};
}

Result<void> SendCredit::handle_credit(const wire::LinkCredit& credit) {
  if (credit.window <= window_.size()) return kCreditBackwards;
  window_.grow(credit.window);
  activate_waiting();
  return {};
}

void SendCredit::release(Stream& stream) {
  window_.change(stream.send.outstanding(), 0);
  stream.send.forget_sent();
  activate_waiting();
}

// Streams that wait for the link's credit try again once there is enough to be worth it. What
// was said to be taken always becomes enough: see receive_credit.cpp, report_threshold.
void SendCredit::activate_waiting() {
  const std::uint64_t room = window_.room(wire::kStreamPrivateBytes);
  if (waiting_.empty() || room < wire::kFramePayloadBytesMax) return;
  for (Stream* stream : std::exchange(waiting_, {})) {
    stream->blocked = Stream::Blocked::no;
    activate(*stream);
  }
}

void SendCredit::set_blocked(Stream& stream, Stream::Blocked blocked) {
  if (stream.blocked == blocked) return;
  if (stream.blocked == Stream::Blocked::stream_credit) --blocked_on_stream_;
  if (stream.blocked == Stream::Blocked::link_credit) std::erase(waiting_, &stream);
  stream.blocked = blocked;
  if (blocked == Stream::Blocked::stream_credit) {
    ++blocked_on_stream_;
    ++link_.counters.stream_credit_stalls;
  }
  if (blocked == Stream::Blocked::link_credit) {
    waiting_.push_back(&stream);
    ++link_.counters.link_credit_stalls;
  }
}

}  // namespace karst::stream::mux
