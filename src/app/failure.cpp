#include "app/failure.h"

#include <cstring>

#include "driver/client_link.h"
#include "driver/ports.h"
#include "platform/linux/file_error.h"
#include "stream/client_connection.h"
#include "stream/client_tunnel.h"
#include "stream/proxy/open_result.h"
#include "stream/tls/error.h"

namespace karst::app {
namespace {

void replace(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// Why a server could not be reached: the detail of driver::kCannotConnect.
std::string_view no_connection(std::int64_t detail) {
  using enum stream::proxy::OpenResult;
  if (detail < 0 || detail >= static_cast<std::int64_t>(stream::proxy::kOpenResults)) return "";
  switch (static_cast<stream::proxy::OpenResult>(detail)) {
    case refused:
      return ": connection refused";
    case network_unreachable:
      return ": network unreachable";
    case host_unreachable:
      return ": host unreachable";
    case timed_out:
      return ": no answer in time";
    case name_not_found:
      return ": name not found";
    case internal:
      return ": no name server answered, or something is wrong on this machine";
    default:
      return "";
  }
}

// What the number of an error counts, where it says more than the sentence alone.
std::string_view number_name(const Error& error) {
  if (error.is(stream::kNotATunnel)) return "HTTP status";
  if (error.is(stream::kTunnelClosed)) return "WebSocket close code";
  if (error.is(stream::kServerLeft) || error.is(stream::kNoWebSocket)) return "HTTP/2 error";
  return error.is(stream::tls::kProtocol) ? "OpenSSL reason" : std::string_view{};
}

}  // namespace

std::string describe(const Error& error) {
  std::string text(error.kind().text);
  if (error.is(platform::kFileSystem) || error.is(driver::kSystem)) {
    text += ": " + std::string(std::strerror(static_cast<int>(error.detail())));
  } else if (error.is(stream::tls::kAlertReceived)) {
    text += ": " + std::string(stream::tls::alert_name(error.detail()));
  } else if (error.is(driver::kCannotConnect)) {
    text += no_connection(error.detail());
  } else if (const auto name = number_name(error); !name.empty() && error.detail() != 0) {
    text += " (" + std::string(name) + " " + std::to_string(error.detail()) + ")";
  }
  return text;
}

Failure file_failure(const std::string& file, const Error& error) {
  std::string text = describe(error);
  // Some sentences carry the command that mends it, with a word in the file's place.
  replace(text, " FILE", " " + file);
  replace(text, " DIRECTORY", " " + file);
  return {file + ": " + text, kExitUsage};
}

}  // namespace karst::app
