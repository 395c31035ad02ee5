#pragma once

#include <cstdint>
#include <deque>

#include "stream/mux/link_state.h"
#include "stream/mux/link_window.h"
#include "stream/mux/stream.h"

namespace karst::stream::mux {

// Which streams may send: what the peer allows each and all of them together. Puts streams that can
// send into the link's scheduler and keeps account of those that have bytes and no credit.
// Remembers streams that wait by reference, until remove().
class SendCredit {
 public:
  explicit SendCredit(LinkState& link) : link_(link) {}

  // What the stream may send now as far as its queue and all credit go.
  std::uint64_t sendable(const Stream& stream) const;
  // What is outstanding of a stream has grown by sending.
  void handle_sent(std::uint64_t before, std::uint64_t after) { window_.change(before, after); }
  // The stream has something new to send, or may send more than before.
  void activate(Stream& stream);
  // The stream has nothing to send any more.
  void remove(Stream& stream);

  // kCreditBackwards, kCreditBeyondSent.
  Result<void> handle_credit(Stream& stream, const wire::StreamCredit& credit);
  Result<void> handle_credit(const wire::LinkCredit& credit);
  // What was sent on the stream counts no more, because it was reset.
  void release(Stream& stream);

  std::uint64_t window() const { return window_.size(); }
  // How many streams have bytes and no credit: of their own, or of the link.
  std::size_t blocked_on_stream() const { return blocked_on_stream_; }
  std::size_t blocked_on_link() const { return waiting_.size(); }

 private:
  void activate_waiting();
  void set_blocked(Stream& stream, Stream::Blocked blocked);
  void account(Stream& stream);

  LinkState& link_;
  LinkWindow window_{wire::kLinkWindowInitial};
  std::deque<Stream*> waiting_;  // for the link's credit, in the order in which they came to wait
  std::size_t blocked_on_stream_ = 0;
};

}  // namespace karst::stream::mux
