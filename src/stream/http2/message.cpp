#include "stream/http2/message.h"

namespace karst::stream::http2 {

std::string joined_cookies(const std::vector<Field>& fields) {
  std::string joined;
  for (const Field& field : fields) {
    if (field.name != "cookie") continue;
    if (!joined.empty()) joined += "; ";
    joined += field.value;
  }
  return joined;
}

}  // namespace karst::stream::http2
