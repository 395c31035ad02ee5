#include "stream/cover/site.h"

#include <utility>
#include <variant>

#include "stream/cover/answer.h"
#include "stream/cover/backend_site.h"
#include "stream/cover/byte_range.h"
#include "stream/cover/limited_exchange.h"
#include "stream/cover/live_exchange.h"
#include "stream/cover/site_path.h"
#include "stream/cover/static_site.h"
#include "stream/cover/work_limit.h"
#include "stream/websocket/handshake.h"

namespace karst::stream::cover {
namespace {

// What is refused before anybody works on it; 0 if nothing is wrong.
int refusal(const Request& request) {
  if (request.oversized) return 431;
  if (request.path.size() > kTargetBytesMax) return 414;
  if (!is_clean_target(request.path)) return 400;
  const auto length = request.headers.find("content-length");
  if (length && parse_decimal(*length).value_or(UINT64_MAX) > kBodyBytesMax) return 413;
  return 0;
}

// HTTP/1.1 makes no other than a good handshake of it.
bool is_handshake(const Request& request) {
  return request.method != "CONNECT" ||
         websocket::check_connect(
             {.method = request.method,
              .protocol = request.protocol,
              .scheme = request.scheme,
              .authority = request.authority,
              .path = request.path,
              .version = request.headers.find("sec-websocket-version").value_or("")})
             .ok();
}

std::unique_ptr<Exchange> answered(Answer answer, const Request& request) {
  return std::make_unique<AnsweredExchange>(std::move(answer), request.method);
}

}  // namespace

// The kind of site behind the limits.
struct Site::Parts final : Handler {
  struct Files {
    StaticSite site;
    LiveRoom room;
  };

  Parts(FileTree files, std::string path)
      : socket_path(std::move(path)), content(Files{StaticSite(std::move(files)), {}}) {}
  Parts(BackendOptions options, std::string path, Entropy& entropy)
      : socket_path(std::move(path)),
        content(std::in_place_type<BackendSite>, std::move(options.authority), entropy, ready) {}

  std::unique_ptr<Exchange> begin(Request request, ConnectionKey connection,
                                  const Moment& moment) override {
    const bool is_socket = !request.protocol.empty();
    if (BackendSite* const site = std::get_if<BackendSite>(&content)) {
      const bool is_refused =
          request.method == "TRACE" || (request.method == "CONNECT" && !is_socket);
      if (is_refused) return answered(error_answer(405, moment), request);
      return site->begin(std::move(request), connection, moment);
    }
    Files& files = std::get<Files>(content);
    if (is_socket) return std::make_unique<LiveExchange>(files.room, moment);
    if (is_on_socket_path(request)) return answered(not_a_socket(moment), request);
    return answered(files.site.answer(request, moment), request);
  }

  bool is_on_socket_path(const Request& request) const {
    return split_target(request.path).path == socket_path;
  }

  // RFC 6455 section 4.4.
  static Answer not_a_socket(const Moment& moment) {
    Answer answer = error_answer(400, moment);
    answer.head.headers.put("sec-websocket-version", "13");
    return answer;
  }

  std::string socket_path;
  ReadyConnections ready;
  WorkLimit limit{ready};
  std::variant<Files, BackendSite> content;
};

Site::Site(FileTree files, std::string socket_path)
    : parts_(std::make_unique<Parts>(std::move(files), std::move(socket_path))) {}

Site::Site(BackendOptions options, std::string socket_path, Entropy& entropy)
    : parts_(std::make_unique<Parts>(std::move(options), std::move(socket_path), entropy)) {}

Site::~Site() = default;

std::unique_ptr<Exchange> Site::begin(Request request, ConnectionKey connection,
                                      const Moment& moment) {
  if (const int status = refusal(request)) {
    return answered(error_answer(status, moment), request);
  }
  // Elsewhere a handshake is a request like any other, as an ordinary server does not heed Upgrade.
  const bool is_socket = request.protocol == "websocket" && parts_->is_on_socket_path(request);
  if (is_socket && !is_handshake(request)) return answered(parts_->not_a_socket(moment), request);
  if (!is_socket) request.protocol.clear();
  return std::make_unique<LimitedExchange>(parts_->limit, *parts_, std::move(request), connection,
                                           moment);
}

std::optional<ConnectionKey> Site::poll_ready() { return parts_->ready.poll(); }

std::string_view Site::socket_path() const { return parts_->socket_path; }

Backend* Site::backend() { return std::get_if<BackendSite>(&parts_->content); }

}  // namespace karst::stream::cover
