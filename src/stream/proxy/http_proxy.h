#pragma once

#include <optional>

#include "stream/proxy/credentials.h"
#include "stream/proxy/exchange.h"
#include "stream/proxy/http_head.h"
#include "stream/proxy/open_result.h"

namespace karst::stream::proxy {

// The proxy's half of one HTTP/1.1 connection (RFC 9110, 9112): CONNECT host:port, and requests in
// absolute form (GET http://host/path), of which it takes one per connection.
//
// A request in absolute form is rewritten to origin form with a Host of its own, without
// hop-by-hop fields and Proxy-*, and with "Connection: close"; its body is framed anew, so that
// this object and the web server cannot disagree on where it ends. Bytes behind the request are
// dropped: they may be meant for another target. The response's head is rewritten likewise, so
// that the client learns that the connection ends with it; its body passes unread. No Via is
// added: the web server need not know of the proxy.
//
// Whatever is not well-formed, or of which two readings exist (two lengths, folded lines, bare
// line feeds, a Host that is missing or twice there), gets 400. The body of an answer of the
// proxy's own is a line for a person.
class HttpProxy {
 public:
  explicit HttpProxy(const std::optional<Credentials>& credentials) : credentials_(credentials) {}

  void handle_client(Bytes bytes, Exchange& exchange);
  // Once, in State::requested.
  void handle_result(OpenResult result, Exchange& exchange);
  // The stream's bytes, and its end or reset. Before the response's head is complete an end is a
  // 502.
  void handle_server(Bytes bytes, Exchange& exchange);
  void handle_server_end(Exchange& exchange);

 private:
  enum class Step : std::uint8_t { head, connect, body, done };

  void handle_head(Exchange& exchange);
  void accept_connect(const HttpHead& head, Exchange& exchange);
  void accept_absolute(const HttpHead& head, Exchange& exchange);
  void refuse(unsigned status, const Error& error, Exchange& exchange);

  std::optional<Credentials> credentials_;
  Step step_ = Step::head;
  bool head_request_ = false;
  bool response_begun_ = false;
  std::optional<HttpReader> request_{HttpReader(HttpReader::Kind::request)};
  std::optional<HttpReader> response_;
};

}  // namespace karst::stream::proxy
