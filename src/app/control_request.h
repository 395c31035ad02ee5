#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "crypto/secret_bytes.h"

namespace karst::app {

inline constexpr ErrorKind kBadControlRequest{"control", "bad-request",
                                              "the request on the control socket makes no sense"};

// What the commands ask of a running daemon; one JSON object each way. An answer has "ok": true
// and what was asked for, or "error" with a sentence.
struct ControlRequest {
  enum class Kind : std::uint8_t { status, reload, invite, clients, revoke };
  Kind kind = Kind::status;
  std::string name;                    // invite, revoke
  std::int64_t lifetime_seconds = 0;   // invite; 0 is the default, at most kLifetimeSecondsMax
  std::vector<std::string> addresses;  // invite; empty: those of the settings

  bool operator==(const ControlRequest&) const = default;
};

std::string format_request(const ControlRequest& request);
Result<ControlRequest> parse_request(std::string_view text);

std::string ok_answer();
// The answer to an invite, and the invite in an answer: no copy of it stays behind. Nothing when
// the answer is not of that form; then parse_answer() says why.
crypto::SecretBytes invite_answer(std::string_view uri);
std::optional<crypto::SecretBytes> parse_invite_answer(std::string_view text);
std::string error_answer(const std::string& sentence);

struct ControlAnswer {
  bool ok = false;
  std::string error;
};
ControlAnswer parse_answer(std::string_view text);

}  // namespace karst::app
