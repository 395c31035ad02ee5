#include "stream/http2/error.h"

#include <nghttp2/nghttp2.h>

namespace karst::stream::http2 {

std::string_view error_code_name(std::uint32_t code) { return nghttp2_http2_strerror(code); }

}  // namespace karst::stream::http2
