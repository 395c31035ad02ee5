#include "lab/limiter.h"

#include <nlohmann/json.hpp>

namespace karst::lab {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Limiter limiter_in(const std::string& status) {
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

bool deadline_expired_in(const std::string& status) {
  const Json json = Json::parse(status, nullptr, false);
  if (json.is_discarded()) return false;
  for (const Json& link : json.value("links", Json::array())) {
    const Json send = link.value("send", Json::object());
    if (send.value("deadline_expiries", std::uint64_t{0}) > 0) return true;
  }
  return false;
}

}  // namespace karst::lab
