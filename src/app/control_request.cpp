#include "app/control_request.h"

#include <array>
#include <nlohmann/json.hpp>

namespace karst::app {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 5> kNames = {"status", "reload", "invite", "clients",
                                                    "revoke"};

}  // namespace

std::string format_request(const ControlRequest& request) {
  Json out;
  out["command"] = kNames[static_cast<std::size_t>(request.kind)];
  if (!request.name.empty()) out["name"] = request.name;
  if (request.lifetime_seconds != 0) out["lifetime_seconds"] = request.lifetime_seconds;
  if (!request.addresses.empty()) out["addresses"] = request.addresses;
  return out.dump();
}

Result<ControlRequest> parse_request(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("command") || !json["command"].is_string()) {
    return kBadControlRequest;
  }
  ControlRequest out;
  const std::string command = json["command"];
  bool known = false;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (command != kNames[i]) continue;
    out.kind = static_cast<ControlRequest::Kind>(i);
    known = true;
  }
  if (!known) return kBadControlRequest;
  if (json.contains("name")) {
    if (!json["name"].is_string()) return kBadControlRequest;
    out.name = json["name"];
  }
  if (json.contains("lifetime_seconds")) {
    if (!json["lifetime_seconds"].is_number_integer()) return kBadControlRequest;
    out.lifetime_seconds = json["lifetime_seconds"];
  }
  if (json.contains("addresses")) {
    if (!json["addresses"].is_array()) return kBadControlRequest;
    for (const auto& item : json["addresses"]) {
      if (!item.is_string()) return kBadControlRequest;
      out.addresses.push_back(item);
    }
  }
  return out;
}

std::string ok_answer() { return R"({"ok":true})"; }

std::string ok_answer(std::string_view key, const std::string& text) {
  Json out;
  out["ok"] = true;
  out[std::string(key)] = text;
  return out.dump();
}

std::string error_answer(const std::string& sentence) {
  Json out;
  out["error"] = sentence;
  return out.dump();
}

ControlAnswer parse_answer(std::string_view text, std::string_view key) {
  const Json json = Json::parse(text, nullptr, false);
  ControlAnswer out;
  if (!json.is_object()) {
    out.error = "the daemon's answer cannot be read";
    return out;
  }
  if (json.contains("error") && json["error"].is_string()) {
    out.error = json["error"];
    return out;
  }
  out.ok = json.value("ok", false);
  const std::string name(key);
  if (json.contains(name) && json[name].is_string()) out.value = json[name];
  return out;
}

}  // namespace karst::app
