#include "stream/http2/session.h"

#include <array>
#include <utility>

#include "stream/http2/client_session.h"
#include "stream/http2/server_session.h"
#include "stream/http2/session_core.h"

namespace karst::stream::http2 {
namespace {

std::unique_ptr<SessionCore> client_core(const ClientSettings& settings, Visitor& visitor) {
  const std::array<nghttp2_settings_entry, 4> entries{{
      {NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, settings.header_table_bytes},
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(settings.stream_window)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, settings.header_list_bytes},
  }};
  return std::make_unique<SessionCore>(
      Role::client, entries, Windows{settings.stream_window, settings.connection_window}, visitor);
}

std::unique_ptr<SessionCore> server_core(const ServerSettings& settings, Visitor& visitor) {
  const std::array<nghttp2_settings_entry, 4> entries{{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.concurrent_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(settings.stream_window)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kRequestHeaderBytesMax},
      {NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1},
  }};
  return std::make_unique<SessionCore>(
      Role::server, entries, Windows{settings.stream_window, settings.connection_window}, visitor);
}

}  // namespace

Session::Session(std::unique_ptr<SessionCore> core) : core_(std::move(core)) {}
Session::~Session() = default;

Result<void> Session::feed(Bytes bytes) { return core_->feed(bytes); }
std::size_t Session::poll_output(MutableBytes space) { return core_->poll_output(space); }
void Session::resume(StreamId stream) { core_->resume(stream); }
void Session::reset(StreamId stream, std::uint32_t code) { core_->reset(stream, code); }
void Session::close(std::uint32_t code) { core_->close(code); }
void Session::consume(StreamId stream, std::size_t count) { core_->consume(stream, count); }
void Session::set_local_window(StreamId stream, std::int32_t bytes) {
  core_->set_local_window(stream, bytes);
}
std::int32_t Session::local_window(StreamId stream) const { return core_->local_window(stream); }
std::int32_t Session::remote_window(StreamId stream) const { return core_->remote_window(stream); }
bool Session::peer_allows_connect() const { return core_->peer_allows_connect(); }
bool Session::finished() const { return core_->finished(); }
const std::optional<Error>& Session::error() const { return core_->error(); }

ClientSession::ClientSession(const ClientSettings& settings, Visitor& visitor)
    : Session(client_core(settings, visitor)) {}

Result<StreamId> ClientSession::request(const RequestHead& head, BodySource* body) {
  return core().request(head, body);
}

ServerSession::ServerSession(const ServerSettings& settings, Visitor& visitor)
    : Session(server_core(settings, visitor)) {}

void ServerSession::respond(StreamId stream, const ResponseHead& head, BodySource* body) {
  core().respond(stream, head, body);
}

}  // namespace karst::stream::http2
