#include "app/failure.h"

#include <cstring>

#include "driver/ports.h"
#include "platform/linux/file_error.h"
#include "stream/tls/error.h"

namespace karst::app {
namespace {

void replace(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

std::string describe(const Error& error) {
  std::string text(error.kind().text);
  if (error.is(platform::kFileSystem) || error.is(driver::kSystem)) {
    text += ": " + std::string(std::strerror(static_cast<int>(error.detail())));
  } else if (error.is(stream::tls::kAlertReceived)) {
    text += ": " + std::string(stream::tls::alert_name(error.detail()));
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
