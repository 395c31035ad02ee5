#include "stream/http2/message.h"

#include <algorithm>

namespace karst::stream::http2 {

std::optional<std::string_view> find_field(const std::vector<Field>& fields,
                                           std::string_view name) {
  const auto found = std::ranges::find(fields, name, &Field::name);
  if (found == fields.end()) return std::nullopt;
  return found->value;
}

}  // namespace karst::stream::http2
