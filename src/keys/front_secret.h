#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "crypto/secret.h"
#include "wire/invite.h"

namespace karst::keys {

using wire::FrontSecret;

inline constexpr ErrorKind kBadFrontFile{"keys", "bad-front-file",
                                         "the file is not a karst front secret"};

// Counts the front secrets of a server, from 1.
using FrontGeneration = std::uint32_t;

// How long the old front secret is accepted after a rotation, unless the operator asks for 0.
inline constexpr std::int64_t kFrontOverlapSeconds = 14 * 86'400;

// The front secrets that a server accepts: the current one and, while an overlap lasts, the one
// before it. A wall clock that steps back prolongs an overlap; it never revives a secret that a
// rotation has dropped.
class FrontSecrets {
 public:
  FrontSecrets(FrontSecret current, FrontGeneration generation);

  // Makes `next` the current one. The one before stays accepted until `old_until`, exclusive; an
  // older one goes at once. The last generation is 2^32 - 1; reaching it is our own error.
  void rotate(FrontSecret next, UnixTime old_until);

  const FrontSecret& current() const { return current_; }
  FrontGeneration generation() const { return generation_; }
  // The older one, or null when there is none or its overlap is over at `now`.
  const FrontSecret* previous(UnixTime now) const;
  FrontGeneration previous_generation() const { return generation_ - 1; }

  // The file format: docs/protocol/session-files.md. The text is secret.
  using Text = crypto::Secret<192, struct FrontTextTag>;
  struct Formatted {
    Text text;
    std::size_t size = 0;
  };
  Formatted format() const;
  static Result<FrontSecrets> parse(std::string_view text);

 private:
  struct Previous {
    FrontSecret secret;
    UnixTime until;
  };
  FrontSecret current_;
  FrontGeneration generation_;
  std::optional<Previous> previous_;
};

}  // namespace karst::keys
