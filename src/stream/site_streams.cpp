#include "stream/site_streams.h"

#include <algorithm>
#include <utility>

namespace karst::stream {
namespace {

// A client that has got its whole answer is given this long to end its own side.
constexpr Duration kLingerTime = std::chrono::seconds(5);
// What an open stream takes beside its head and its bytes, about.
constexpr std::size_t kStreamBytes = 2 * 1024;

std::size_t bytes_of(const http2::RequestHead& head) {
  std::size_t bytes = head.path.size() + head.authority.size();
  for (const http2::Field& field : head.fields) {
    bytes += sizeof(field) + field.name.size() + field.value.size();
  }
  return bytes;
}

cover::Request to_request(http2::RequestHead head, std::string client, bool has_body) {
  cover::Request request;
  request.method = std::move(head.method);
  request.scheme = std::move(head.scheme);
  request.authority = std::move(head.authority);
  request.path = std::move(head.path);
  request.protocol = std::move(head.protocol);
  request.client = std::move(client);
  request.has_body = has_body;
  request.oversized = head.oversized;
  for (const http2::Field& field : head.fields) {
    // The session bounds the bytes and not the count.
    if (!request.headers.add(field.name, field.value)) request.oversized = true;
  }
  return request;
}

http2::ResponseHead to_head(const cover::Response& response) {
  http2::ResponseHead head;
  head.status = response.is_socket ? 200 : response.status;
  for (const cover::Header& header : response.headers) {
    head.fields.push_back({header.name, header.value});
  }
  return head;
}

}  // namespace

struct SiteStreams::Stream final : http2::BodySource {
  explicit Stream(SiteStreams& owner) : streams(owner) {}

  Chunk next(std::size_t max) override {
    const Chunk chunk = next_chunk(max);
    if (chunk.end) finished_at = streams.moment_.now;
    return chunk;
  }
  Chunk next_chunk(std::size_t max) {
    if (!last_of_exchange.empty()) return {std::min(max, last_of_exchange.size()), false};
    if (successor != nullptr) return successor->next(max);
    if (!exchange) return {};
    const std::size_t ready = exchange->output().size();
    return {std::min(max, ready),
            ready <= max && exchange->ending() == cover::Exchange::Ending::complete};
  }
  void write(MutableBytes space) override {
    if (!last_of_exchange.empty()) {
      copy_bytes(space, Bytes(last_of_exchange).first(space.size()));
      last_of_exchange.erase(last_of_exchange.begin(),
                             last_of_exchange.begin() + static_cast<std::ptrdiff_t>(space.size()));
      return;
    }
    if (successor != nullptr) return successor->write(space);
    copy_bytes(space, exchange->output().first(space.size()));
    exchange->consume(space.size(), streams.moment_);
  }

  SiteStreams& streams;
  std::size_t head_bytes = 0;
  std::optional<http2::RequestHead> waiting;  // until we know whether a body follows
  std::unique_ptr<cover::Exchange> exchange;
  http2::BodySource* successor = nullptr;
  ByteVector last_of_exchange;
  ByteQueue input;
  bool input_ended = false;
  bool input_end_told = false;
  bool answered = false;
  bool reset = false;
  std::optional<TimePoint> finished_at;  // our side has ended
};

SiteStreams::SiteStreams(http2::ServerSession& session, cover::Handler& handler,
                         cover::ConnectionKey key, std::string client)
    : session_(session), handler_(handler), key_(key), client_(std::move(client)) {}

SiteStreams::~SiteStreams() = default;

void SiteStreams::on_request(http2::StreamId id, http2::RequestHead head,
                             const cover::Moment& moment) {
  moment_ = moment;
  auto stream = std::make_unique<Stream>(*this);
  stream->head_bytes = bytes_of(head);
  stream->waiting = std::move(head);
  streams_.emplace(id, std::move(stream));
}

void SiteStreams::take_over(http2::StreamId id, http2::BodySource& body) {
  Stream& stream = *streams_.at(id);
  if (stream.exchange) {
    stream.last_of_exchange = to_vector(stream.exchange->output());
    stream.exchange.reset();
  }
  stream.waiting.reset();
  stream.successor = &body;
  if (!std::exchange(stream.answered, true)) {
    session_.respond(id, {.status = 200, .fields = {}, .oversized = false}, &stream);
  }
}

void SiteStreams::on_data(http2::StreamId id, Bytes bytes, const cover::Moment& moment) {
  moment_ = moment;
  const auto found = streams_.find(id);
  if (found == streams_.end()) {
    session_.consume(id, bytes.size());
    return;
  }
  // Bounded by the stream's window: credit goes back only in move_input().
  found->second->input.append(bytes);
}

void SiteStreams::on_end(http2::StreamId id, const cover::Moment& moment) {
  moment_ = moment;
  const auto found = streams_.find(id);
  if (found != streams_.end()) found->second->input_ended = true;
}

void SiteStreams::on_closed(http2::StreamId id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  // What the client sent and nobody read still counts against the connection's window.
  session_.consume(id, found->second->input.size());
  streams_.erase(found);
}

void SiteStreams::begin(http2::StreamId, Stream& stream, bool has_body) {
  cover::Request request = to_request(std::move(*stream.waiting), client_, has_body);
  stream.waiting.reset();
  stream.exchange = handler_.begin(std::move(request), key_, moment_);
}

void SiteStreams::move_input(http2::StreamId id, Stream& stream) {
  while (!stream.input.empty()) {
    const Bytes run = stream.input.front();
    const std::size_t count = std::min(run.size(), stream.exchange->input_room());
    if (count == 0) return;
    stream.exchange->input(run.first(count), moment_);
    stream.input.consume(count);
    session_.consume(id, count);
  }
  if (stream.input_ended && !std::exchange(stream.input_end_told, true)) {
    stream.exchange->input_end(moment_);
  }
}

void SiteStreams::move_output(http2::StreamId id, Stream& stream) {
  if (stream.reset) return;
  if (!stream.answered) {
    const auto response = stream.exchange->poll_response(moment_);
    if (!response) return;
    stream.answered = true;
    const bool bodiless = stream.exchange->output().empty() &&
                          stream.exchange->ending() == cover::Exchange::Ending::complete;
    session_.respond(id, to_head(*response), bodiless ? nullptr : &stream);
    if (bodiless) stream.finished_at = moment_.now;
    return;
  }
  if (stream.exchange->ending() == cover::Exchange::Ending::broken) {
    stream.reset = true;
    session_.reset(id, http2::kInternalError);
    return;
  }
  session_.resume(id);
}

void SiteStreams::pump(const cover::Moment& moment) {
  moment_ = moment;
  for (auto& [id, stream] : streams_) {
    if (stream->successor != nullptr) continue;
    if (stream->waiting) {
      const bool has_body =
          !stream->input_ended || !stream->input.empty() || !stream->waiting->protocol.empty();
      begin(id, *stream, has_body);
    }
    move_input(id, *stream);
    move_output(id, *stream);
  }
}

std::size_t SiteStreams::held_bytes() const {
  std::size_t bytes = 0;
  for (const auto& [id, stream] : streams_) {
    bytes += kStreamBytes + stream->head_bytes + stream->input.footprint() +
             stream->last_of_exchange.size() +
             (stream->exchange ? stream->exchange->held_bytes() : 0);
  }
  return bytes;
}

std::optional<TimePoint> SiteStreams::next_deadline() const {
  std::optional<TimePoint> earliest;
  for (const auto& [id, stream] : streams_) {
    auto deadline = stream->exchange ? stream->exchange->next_deadline() : std::nullopt;
    if (stream->finished_at && !stream->reset) {
      deadline = std::min(deadline.value_or(TimePoint::max()), *stream->finished_at + kLingerTime);
    }
    if (deadline && (!earliest || *deadline < *earliest)) earliest = deadline;
  }
  return earliest;
}

void SiteStreams::handle_deadline(const cover::Moment& moment) {
  moment_ = moment;
  for (auto& [id, stream] : streams_) {
    if (stream->finished_at && !stream->reset && *stream->finished_at + kLingerTime <= moment.now) {
      stream->reset = true;
      session_.reset(id, http2::kNoError);
    }
    if (!stream->exchange) continue;
    const auto deadline = stream->exchange->next_deadline();
    if (deadline && *deadline <= moment.now) stream->exchange->handle_deadline(moment);
  }
}

}  // namespace karst::stream
