#include "stream/http2/session_core.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "stream/http2/error.h"

namespace karst::stream::http2 {
namespace {

// nghttp2's own limits. Those on resets lie beyond ours, which need no clock.
nghttp2_option* make_options() {
  nghttp2_option* options = nullptr;
  CHECK(nghttp2_option_new(&options) == 0);
  nghttp2_option_set_no_auto_window_update(options, 1);
  nghttp2_option_set_max_outbound_ack(options, kMaxQueuedReplies);
  nghttp2_option_set_max_settings(options, kMaxSettingsEntries);
  nghttp2_option_set_max_continuations(options, kMaxContinuations);
  nghttp2_option_set_stream_reset_rate_limit(options, 2 * kMaxPeerResets, 33);
  nghttp2_option_set_no_closed_streams(options, 1);
  nghttp2_option_set_max_reserved_remote_streams(options, 0);
  return options;
}

nghttp2_nv pair_of(std::string_view name, std::string_view value, bool sensitive = false) {
  // nghttp2 copies both and changes neither.
  const auto bytes = [](std::string_view text) {
    return const_cast<std::uint8_t*>(as_bytes(text).data());
  };
  const auto flags = sensitive ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
  return {bytes(name), bytes(value), name.size(), value.size(), static_cast<std::uint8_t>(flags)};
}

void append_fields(std::vector<nghttp2_nv>& pairs, const std::vector<Field>& fields) {
  for (const Field& field : fields) {
    pairs.push_back(pair_of(field.name, field.value, field.sensitive));
  }
}

nghttp2_ssize pull_body(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t max,
                        std::uint32_t* flags, nghttp2_data_source* source, void*) {
  const auto chunk = static_cast<BodySource*>(source->ptr)->next(max);
  CHECK(chunk.bytes <= max);
  if (chunk.bytes == 0 && !chunk.end) return NGHTTP2_ERR_DEFERRED;
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (chunk.end) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<nghttp2_ssize>(chunk.bytes);
}

nghttp2_data_provider2 provider_of(BodySource* body) {
  nghttp2_data_provider2 provider{};
  provider.source.ptr = body;
  provider.read_callback = pull_body;
  return provider;
}

}  // namespace

SessionCore::SessionCore(Role role, std::span<const nghttp2_settings_entry> settings,
                         Windows windows, Visitor& visitor)
    : role_(role),
      visitor_(visitor),
      cutter_(role == Role::server ? NGHTTP2_CLIENT_MAGIC_LEN : 0),
      stream_window_(windows.stream) {
  nghttp2_option* options = make_options();
  const auto make =
      role == Role::client ? nghttp2_session_client_new2 : nghttp2_session_server_new2;
  CHECK(make(&session_, callbacks(), this, options) == 0);
  nghttp2_option_del(options);
  CHECK(nghttp2_submit_settings(session_, 0, settings.data(), settings.size()) == 0);
  set_local_window(kConnection, windows.connection);
}

SessionCore::~SessionCore() { nghttp2_session_del(session_); }

void SessionCore::Block::append(Bytes bytes) {
  copy_bytes(space.subspan(used), bytes);
  used += bytes.size();
}

SessionCore::Stream* SessionCore::find(StreamId id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : &found->second;
}

SessionCore::Stream& SessionCore::add_stream(StreamId id) {
  return streams_.emplace(id, Stream{.head = nullptr, .window = ReceiveWindow(stream_window_)})
      .first->second;
}

void SessionCore::fail(const Error& why, std::uint32_t code) {
  if (error_ || phase_ == Phase::over) return;
  error_ = why;
  close(code);
}

void SessionCore::close(std::uint32_t code) {
  if (phase_ != Phase::running) return;
  phase_ = Phase::closing;
  CHECK(nghttp2_session_terminate_session(session_, code) == 0);
}

Result<void> SessionCore::feed(Bytes bytes) {
  while (!bytes.empty() && phase_ == Phase::running) {
    const Bytes part = cutter_.next(bytes);
    if (part.empty()) break;
    if (cutter_.at_header() && !budget_.frame(part)) {
      fail({kIdleFlood, kEnhanceYourCalm}, kEnhanceYourCalm);
    } else {
      receive(part);
    }
  }
  if (nghttp2_session_get_outbound_queue_size(session_) > kMaxQueuedFrames) {
    fail({kReplyFlood, kEnhanceYourCalm}, kEnhanceYourCalm);
  }
  if (error_) return *error_;
  return {};
}

void SessionCore::receive(Bytes part) {
  const nghttp2_ssize taken = nghttp2_session_mem_recv2(session_, part.data(), part.size());
  switch (taken) {
    case NGHTTP2_ERR_FLOODED:
      fail({kReplyFlood, kEnhanceYourCalm}, kEnhanceYourCalm);
      break;
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS:
      fail({kHeaderFlood, kEnhanceYourCalm}, kEnhanceYourCalm);
      break;
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC:
      fail({kBadPreface, kProtocolError}, kProtocolError);
      break;
    default:
      if (taken < 0) fail({kLibrary, taken}, kInternalError);
  }
}

std::size_t SessionCore::poll_output(MutableBytes space) {
  CHECK(space.size() >= kBlockBytes);
  block_ = {space.first(kBlockBytes)};
  while (!frame_.empty() || (block_.room() >= kFrameHeaderBytes && next_frame())) {
    // Only a frame that fills more than a block is cut.
    if (frame_.size() > block_.room() && block_.used > 0) break;
    const Bytes part = frame_.first(std::min(frame_.size(), block_.room()));
    block_.append(part);
    frame_ = frame_.subspan(part.size());
  }
  return std::exchange(block_, {}).used;
}

bool SessionCore::next_frame() {
  if (phase_ == Phase::over) return false;
  const std::uint8_t* bytes = nullptr;
  // DATA frames go straight into the block, from a callback within.
  const nghttp2_ssize count = nghttp2_session_mem_send2(session_, &bytes);
  if (count < 0) {
    if (!error_) error_ = Error{kLibrary, count};
    phase_ = Phase::over;
  }
  // This frame is the GOAWAY: what may still wait in nghttp2 stays there.
  if (phase_ == Phase::over) end_streams(error_ ? kInternalError : kNoError);
  if (count <= 0) return false;
  frame_ = {bytes, static_cast<std::size_t>(count)};
  return true;
}

void SessionCore::end_streams(std::uint32_t code) {
  for (const auto& [id, stream] : std::exchange(streams_, {})) {
    if (stream.told) visitor_.on_closed(id, code);
  }
}

Result<StreamId> SessionCore::request(const RequestHead& head, BodySource* body) {
  if (phase_ != Phase::running || nghttp2_session_check_request_allowed(session_) == 0) {
    return kNoNewStreams;
  }
  if (!head.protocol.empty() && !peer_allows_connect()) return kNoExtendedConnect;
  std::vector<nghttp2_nv> pairs;
  const auto add = [&pairs](std::string_view name, const std::string& value) {
    if (!value.empty()) pairs.push_back(pair_of(name, value));
  };
  add(":method", head.method);
  add(":authority", head.authority);
  add(":scheme", head.scheme);
  add(":path", head.path);
  add(":protocol", head.protocol);
  append_fields(pairs, head.fields);
  const auto provider = provider_of(body);
  const StreamId id = nghttp2_submit_request2(session_, nullptr, pairs.data(), pairs.size(),
                                              body == nullptr ? nullptr : &provider, nullptr);
  if (id == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE) return kNoNewStreams;
  CHECK(id > 0);
  Stream& stream = add_stream(id);
  stream.told = true;
  stream.open = false;
  return id;
}

void SessionCore::respond(StreamId id, const ResponseHead& head, BodySource* body) {
  Stream* stream = find(id);
  if (stream == nullptr) return;
  CHECK(!stream->responded && head.status >= 200 && head.status <= 999);
  stream->responded = true;
  const std::string status = std::to_string(head.status);
  std::vector<nghttp2_nv> pairs{pair_of(":status", status)};
  append_fields(pairs, head.fields);
  const auto provider = provider_of(body);
  CHECK(nghttp2_submit_response2(session_, id, pairs.data(), pairs.size(),
                                 body == nullptr ? nullptr : &provider) == 0);
}

void SessionCore::resume(StreamId id) {
  // Fails, which means nothing, unless the stream is waiting for its body.
  (void)nghttp2_session_resume_data(session_, id);
}

void SessionCore::reset(StreamId id, std::uint32_t code) {
  if (find(id) == nullptr) return;
  budget_.asked_reset();
  CHECK(nghttp2_submit_rst_stream(session_, 0, id, code) == 0);
}

void SessionCore::consume(StreamId id, std::size_t count) {
  CHECK(count <= static_cast<std::size_t>(kMaxWindow));
  const auto bytes = static_cast<std::int32_t>(count);
  raise_credit(kConnection, window_.consume(bytes));
  if (Stream* stream = find(id)) raise_credit(id, stream->window.consume(bytes));
}

void SessionCore::set_local_window(StreamId id, std::int32_t bytes) {
  if (id == kConnection) {
    raise_credit(id, window_.resize(bytes));
  } else if (Stream* stream = find(id)) {
    raise_credit(id, stream->window.resize(bytes));
  }
}

void SessionCore::raise_credit(StreamId id, std::int32_t bytes) {
  if (Stream* stream = find(id); stream != nullptr && !stream->open) {
    stream->credit_due += bytes;
    return;
  }
  if (bytes > 0) CHECK(nghttp2_submit_window_update(session_, 0, id, bytes) == 0);
}

std::int32_t SessionCore::local_window(StreamId id) const {
  if (id == kConnection) return window_.size();
  const auto found = streams_.find(id);
  return found == streams_.end() ? 0 : found->second.window.size();
}

std::int32_t SessionCore::remote_window(StreamId id) const {
  const std::int32_t bytes = id == kConnection
                                 ? nghttp2_session_get_remote_window_size(session_)
                                 : nghttp2_session_get_stream_remote_window_size(session_, id);
  return std::max(bytes, 0);
}

bool SessionCore::peer_allows_connect() const {
  return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) ==
         1;
}

bool SessionCore::finished() const {
  if (!frame_.empty()) return false;
  if (phase_ == Phase::over) return true;
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

}  // namespace karst::stream::http2
