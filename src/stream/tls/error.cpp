#include "stream/tls/error.h"

#include <openssl/ssl.h>

namespace karst::stream::tls {

Error error_of_reason(int reason) {
  // Received alerts are given as an offset and their one byte. Above them are the codes that all
  // parts of the library share.
  constexpr int kAlertMax = 255;
  if (reason > SSL_AD_REASON_OFFSET + kAlertMax) return {kLibraryFailed, reason};
  if (reason >= SSL_AD_REASON_OFFSET) return {kAlertReceived, reason - SSL_AD_REASON_OFFSET};
  return {kProtocol, reason};
}

std::string_view alert_name(std::int64_t description) {
  return SSL_alert_desc_string_long(static_cast<int>(description));
}

}  // namespace karst::stream::tls
