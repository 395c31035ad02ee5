#include "stream/cover/live_socket.h"

#include <algorithm>
#include <utility>

#include "stream/websocket/frame.h"

namespace karst::stream::cover {
namespace {

constexpr std::string_view kPing = "ping ";
constexpr std::size_t kWordBytesMax = 64;

// A word comes back as it was sent, so it is kept to what cannot be markup or a control character.
bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kWordBytesMax && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

}  // namespace

LiveSocket::LiveSocket(LiveRoom& room, const Moment& moment)
    : room_(room), heard_(moment.now), second_began_(moment.now) {
  ++room_.visitors_;
  say_news(moment);
}

LiveSocket::~LiveSocket() {
  if (!closed_) --room_.visitors_;
}

void LiveSocket::on_text(std::string_view text, const Moment& moment) {
  if (closed_) return;
  on_pong(moment);
  const bool is_ping = text.starts_with(kPing) && is_word(text.substr(kPing.size()));
  if (!is_ping || heard_too_much(moment)) return close(websocket::kClosePolicy);
  messages_.push_back({Message::Kind::text, "pong " + std::string(text.substr(kPing.size())), 0});
}

void LiveSocket::on_binary(const Moment&) { close(websocket::kCloseUnsupported); }

void LiveSocket::on_pong(const Moment& moment) {
  heard_ = moment.now;
  pinged_ = false;
}

std::optional<LiveSocket::Message> LiveSocket::poll_message() {
  if (messages_.empty()) return std::nullopt;
  Message first = std::move(messages_.front());
  messages_.pop_front();
  return first;
}

std::optional<TimePoint> LiveSocket::next_deadline() const {
  if (closed_) return std::nullopt;
  const TimePoint silence = heard_ + (pinged_ ? kLiveIdleTimeout : kLivePingAfter);
  return std::min(news_due_, silence);
}

void LiveSocket::handle_deadline(const Moment& moment) {
  if (closed_) return;
  if (moment.now >= heard_ + kLiveIdleTimeout) return close(websocket::kCloseGoingAway);
  if (!pinged_ && moment.now >= heard_ + kLivePingAfter) {
    pinged_ = true;
    messages_.push_back({Message::Kind::ping, "", 0});
  }
  if (moment.now >= news_due_) say_news(moment);
}

void LiveSocket::say_news(const Moment& moment) {
  news_due_ = moment.now + kLiveNewsEvery;
  messages_.push_back({Message::Kind::text,
                       "{\"time\":" + std::to_string(moment.wall.seconds) +
                           ",\"visitors\":" + std::to_string(room_.visitors()) + "}",
                       0});
}

void LiveSocket::close(std::uint16_t code) {
  if (std::exchange(closed_, true)) return;
  --room_.visitors_;
  messages_.push_back({Message::Kind::close, "", code});
}

bool LiveSocket::heard_too_much(const Moment& moment) {
  if (moment.now - second_began_ >= 1s) {
    second_began_ = moment.now;
    messages_this_second_ = 0;
  }
  return ++messages_this_second_ > kLiveMessagesPerSecondMax;
}

}  // namespace karst::stream::cover
