#include "stream/tls/error.h"

#include <openssl/ssl.h>

namespace karst::stream::tls {

std::string_view alert_name(std::int64_t description) {
  return SSL_alert_desc_string_long(static_cast<int>(description));
}

}  // namespace karst::stream::tls
