#include "lab/limiter.h"

#include <nlohmann/json.hpp>

namespace karst::lab {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Limiter limiter_in(const std::string& status) {
  static const Json::json_pointer kRecent("/links/0/limiter/recent");
  Limiter out;
  const Json json = Json::parse(status, nullptr, false);
  if (json.is_discarded() || !json.contains(kRecent)) return out;
  for (const auto& [name, share] : json[kRecent].items()) {
    if (!share.is_number() || name == "application" || share.get<double>() <= out.share) continue;
    out.name = name;
    out.share = share;
  }
  return out;
}

bool deadline_expired_in(const std::string& status) {
  static const Json::json_pointer kLinks("/links"), kExpiries("/send/deadline_expiries");
  const Json json = Json::parse(status, nullptr, false);
  if (json.is_discarded() || !json.contains(kLinks)) return false;
  for (const Json& link : json[kLinks]) {
    if (!link.contains(kExpiries)) continue;
    const Json& count = link[kExpiries];
    if (count.is_number() && count.get<double>() > 0) return true;
  }
  return false;
}

}  // namespace karst::lab
