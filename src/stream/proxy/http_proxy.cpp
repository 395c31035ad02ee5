#include "stream/proxy/http_proxy.h"

#include <llhttp.h>

#include <algorithm>

#include "base/check.h"
#include "stream/proxy/error.h"
#include "stream/proxy/http_rewrite.h"

namespace karst::stream::proxy {
namespace {

std::string_view fields_for(unsigned status) {
  switch (status) {
    case 405:
      return "Allow: CONNECT, GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n";
    case 407:
      return "Proxy-Authenticate: Basic realm=\"karst\"\r\n";
    default:
      return "";
  }
}

bool authorised(const HttpHead& head, const Credentials& credentials) {
  return std::ranges::any_of(head.fields, [&](const HttpField& field) {
    return same_field_name(field.name, "proxy-authorization") &&
           credentials.match_basic(field.value);
  });
}

bool is_http_1(const HttpHead& head) { return head.version_major == 1 && head.version_minor <= 1; }

}  // namespace

// Ends the connection with an answer of our own, unless the web server's has begun.
void HttpProxy::refuse(unsigned status, const Error& error, Exchange& exchange) {
  if (!response_begun_) {
    append_own_response(status, fields_for(status), error.kind().text, head_request_,
                        exchange.to_client);
  }
  exchange.fail(error);
}

void HttpProxy::handle_client(Bytes bytes, Exchange& exchange) {
  if (step_ == Step::head) {
    const HttpReader::Progress progress = request_->read_head(bytes);
    bytes = bytes.subspan(progress.taken);
    switch (progress.status) {
      case HttpReader::Status::more:
        return;
      case HttpReader::Status::too_large:
        refuse(431, kHttpHeadTooLarge, exchange);
        return;
      case HttpReader::Status::failed:
        if (request_->error() == HPE_INVALID_METHOD) {
          refuse(405, kHttpMethod, exchange);
        } else {
          refuse(400, Error(kMalformedHttp, request_->error()), exchange);
        }
        return;
      case HttpReader::Status::head:
      case HttpReader::Status::complete:
        handle_head(exchange);
    }
  }
  if (step_ == Step::connect) exchange.to_server.append(bytes);
  if (step_ == Step::body) {
    const HttpReader::Progress progress = request_->read_body(bytes, exchange.to_server);
    if (progress.status == HttpReader::Status::failed) {
      refuse(400, Error(kMalformedHttp, request_->error()), exchange);
    } else if (progress.status == HttpReader::Status::complete) {
      step_ = Step::done;
      request_.reset();
    }
  }
}

void HttpProxy::handle_head(Exchange& exchange) {
  const HttpHead& head = request_->head();
  head_request_ = head.method == "HEAD";
  if (!is_http_1(head)) {
    refuse(400, kMalformedHttp, exchange);
  } else if (credentials_ && !authorised(head, *credentials_)) {
    refuse(407, kBadCredentials, exchange);
  } else if (head.method == "CONNECT") {
    accept_connect(head, exchange);
  } else {
    accept_absolute(head, exchange);
  }
}

void HttpProxy::accept_connect(const HttpHead& head, Exchange& exchange) {
  // RFC 9110 section 9.3.6: CONNECT has no content. Whoever announces some means something else
  // by the bytes behind the head than we do.
  if (request_->has_transfer_encoding() || request_->content_length() != 0) {
    refuse(400, kMalformedHttp, exchange);
    return;
  }
  auto target = Target::from_authority(head.url);
  if (!target) {
    refuse(400, kBadTarget, exchange);
    return;
  }
  step_ = Step::connect;
  request_.reset();
  exchange.request(ConnectRequest{*std::move(target)});
}

void HttpProxy::accept_absolute(const HttpHead& head, Exchange& exchange) {
  // TRACE would show the client what a proxy is to hide from it (RFC 9110 section 17.7 advises so).
  if (head.method == "TRACE") {
    refuse(405, kHttpMethod, exchange);
    return;
  }
  const auto url = parse_absolute_url(head.url, head.method);
  if (!url) {
    refuse(400, kNotAProxyRequest, exchange);
    return;
  }
  auto target = Target::from_authority(url->authority, 80);
  if (!target) {
    refuse(400, kBadTarget, exchange);
    return;
  }
  // RFC 9112 section 3.2: exactly one Host, though what it says does not count here. Section 6.1:
  // a transfer coding other than chunked at the end has no length, and in HTTP/1.0 none counts.
  const auto hosts = std::ranges::count_if(
      head.fields, [](const HttpField& field) { return same_field_name(field.name, "host"); });
  const bool chunked_1_0 = head.version_minor == 0 && request_->has_transfer_encoding();
  if (hosts > 1 || (hosts == 0 && head.version_minor != 0) || chunked_1_0 ||
      (request_->has_transfer_encoding() && !request_->chunked())) {
    refuse(400, kMalformedHttp, exchange);
    return;
  }
  append_forwarded_request(head, *url, exchange.to_server);
  step_ = Step::body;
  response_.emplace(HttpReader::Kind::response);
  exchange.filter_client = true;
  exchange.filter_server = true;
  exchange.request(ConnectRequest{*std::move(target)});
}

void HttpProxy::handle_result(OpenResult result, Exchange& exchange) {
  const OpenAnswer& said = answer(result);
  if (result != OpenResult::ok) {
    std::string status_field = "Proxy-Status: karst; error=";
    status_field.append(said.http_error).append("\r\n");
    append_own_response(said.http, status_field, said.text, head_request_, exchange.to_client);
    exchange.close();
    return;
  }
  exchange.state = Exchange::State::open;
  if (!response_)
    exchange.to_client.append(as_bytes("HTTP/1.1 200 Connection established\r\n\r\n"));
}

void HttpProxy::handle_server(Bytes bytes, Exchange& exchange) {
  while (exchange.filter_server && !bytes.empty()) {
    const HttpReader::Progress progress = response_->read_head(bytes);
    bytes = bytes.subspan(progress.taken);
    if (progress.status == HttpReader::Status::more) return;
    const HttpHead& head = response_->head();
    // No 101: the request had no Upgrade when it left here.
    if (progress.status != HttpReader::Status::head || !is_http_1(head) || head.status < 100 ||
        head.status == 101) {
      refuse(502, Error(kBadUpstream, response_->error()), exchange);
      return;
    }
    append_forwarded_response(head, exchange.to_client);
    if (head.status < 200) {
      response_.emplace(HttpReader::Kind::response);
    } else {
      response_begun_ = true;
      exchange.filter_server = false;
    }
  }
  exchange.to_client.append(bytes);
}

void HttpProxy::handle_server_end(Exchange& exchange) {
  if (exchange.filter_server) refuse(502, kBadUpstream, exchange);
}

}  // namespace karst::stream::proxy
