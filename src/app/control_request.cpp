#include "app/control_request.h"

#include <array>
#include <nlohmann/json.hpp>

#include "app/lifetime.h"
#include "base/check.h"

namespace karst::app {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 5> kNames = {"status", "reload", "invite", "clients",
                                                    "revoke"};

constexpr std::string_view kInviteAnswerBegin = R"({"ok":true,"uri":")";
constexpr std::string_view kInviteAnswerEnd = "\"}";

// Text that is not UTF-8 (a name from the command line) must not throw.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string format_request(const ControlRequest& request) {
  Json out;
  out["command"] = kNames[static_cast<std::size_t>(request.kind)];
  if (!request.name.empty()) out["name"] = request.name;
  if (request.lifetime_seconds != 0) out["lifetime_seconds"] = request.lifetime_seconds;
  if (!request.addresses.empty()) out["addresses"] = request.addresses;
  return dump(out);
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
    // A number beyond 63 bits is unsigned to the parser, and none of ours.
    const Json& lifetime = json["lifetime_seconds"];
    const auto* value = lifetime.get_ptr<const Json::number_unsigned_t*>();
    if (value == nullptr || *value > kLifetimeSecondsMax) return kBadControlRequest;
    out.lifetime_seconds = static_cast<std::int64_t>(*value);
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

// The library would leave copies, so this one is put together by hand. An invite's characters are
// none that JSON escapes.
crypto::SecretBytes invite_answer(std::string_view uri) {
  CHECK(uri.find_first_of("\"\\") == uri.npos);
  crypto::SecretBytes out(kInviteAnswerBegin.size() + uri.size() + kInviteAnswerEnd.size());
  out.append(kInviteAnswerBegin);
  out.append(uri);
  out.append(kInviteAnswerEnd);
  return out;
}

std::optional<crypto::SecretBytes> parse_invite_answer(std::string_view text) {
  if (!text.starts_with(kInviteAnswerBegin) || !text.ends_with(kInviteAnswerEnd) ||
      text.size() < kInviteAnswerBegin.size() + kInviteAnswerEnd.size()) {
    return std::nullopt;
  }
  text.remove_prefix(kInviteAnswerBegin.size());
  text.remove_suffix(kInviteAnswerEnd.size());
  // What an invite is written with, and nothing that JSON would read in another way.
  constexpr std::string_view kOfInvites =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:/-_";
  if (text.find_first_not_of(kOfInvites) != text.npos) return std::nullopt;
  crypto::SecretBytes uri(text.size());
  uri.append(text);
  return uri;
}

std::string error_answer(const std::string& sentence) {
  Json out;
  out["error"] = sentence;
  return dump(out);
}

ControlAnswer parse_answer(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto text_of = [&json](const std::string& name) -> std::string {
    return json.is_object() && json.contains(name) && json[name].is_string() ? json[name] : "";
  };
  ControlAnswer out;
  out.error = text_of("error");
  out.ok = out.error.empty() && json.is_object() && json.contains("ok") && json["ok"] == true;
  if (!out.ok && out.error.empty()) {
    out.error = "the daemon's answer cannot be read; is it another version of karst?";
  }
  return out;
}

}  // namespace karst::app
