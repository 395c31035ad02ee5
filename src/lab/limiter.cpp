#include "lab/limiter.h"

#include <nlohmann/json.hpp>

namespace karst::lab {

Limiter limiter_in(const std::string& status) {
  using Json = nlohmann::ordered_json;
  Limiter out;
  const Json json = Json::parse(status, nullptr, false);
  if (json.is_discarded() || json.value("links", Json::array()).empty()) return out;
  for (const auto& [name, share] : json["links"][0]["limiter"]["recent"].items()) {
    if (name == "application" || share.get<double>() <= out.share) continue;
    out.name = name;
    out.share = share;
  }
  return out;
}

}  // namespace karst::lab
