#include "keys/front_secret.h"

#include <charconv>
#include <limits>

#include "base/check.h"
#include "base/writer.h"
#include "crypto/hex.h"

namespace karst::keys {
namespace {

constexpr std::string_view kUntil = " until ";
constexpr std::size_t kSecretHexBytes = 64;

// A decimal number without sign or leading zeros at the front of `text`, which is then consumed.
template <class T>
std::optional<T> take_number(std::string_view& text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto size = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || text[0] == '-' || (text[0] == '0' && size > 1)) return std::nullopt;
  text.remove_prefix(size);
  return value;
}

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

template <class T>
void put_number(Writer& writer, T value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  writer.bytes(as_bytes({digits, static_cast<std::size_t>(end - digits)}));
}

void put_line(Writer& writer, FrontGeneration generation, const FrontSecret& secret) {
  put_number(writer, generation);
  writer.u8(' ');
  crypto::hex_encode(secret.expose(), writer.take(kSecretHexBytes));
}

struct Line {
  FrontGeneration generation = 0;
  FrontSecret secret;
};

std::optional<Line> take_line(std::string_view& text) {
  Line line;
  const auto generation = take_number<FrontGeneration>(text);
  if (!generation || *generation == 0 || !take(text, " ") || text.size() < kSecretHexBytes ||
      !crypto::hex_decode(text.substr(0, kSecretHexBytes), line.secret.expose_mutable())) {
    return std::nullopt;
  }
  line.generation = *generation;
  text.remove_prefix(kSecretHexBytes);
  return line;
}

}  // namespace

FrontSecrets::FrontSecrets(FrontSecret current, FrontGeneration generation)
    : current_(std::move(current)), generation_(generation) {
  CHECK(generation >= 1);
}

void FrontSecrets::rotate(FrontSecret next, UnixTime old_until) {
  CHECK(generation_ < std::numeric_limits<FrontGeneration>::max() && old_until.seconds >= 0);
  previous_.emplace(std::move(current_), old_until);
  current_ = std::move(next);
  ++generation_;
}

const FrontSecret* FrontSecrets::previous(UnixTime now) const {
  return previous_ && now < previous_->until ? &previous_->secret : nullptr;
}

FrontSecrets::Formatted FrontSecrets::format() const {
  Formatted out;
  Writer writer(out.text.expose_mutable());
  put_line(writer, generation_, current_);
  writer.u8('\n');
  if (previous_) {
    put_line(writer, generation_ - 1, previous_->secret);
    writer.bytes(as_bytes(kUntil));
    put_number(writer, previous_->until.seconds);
    writer.u8('\n');
  }
  out.size = writer.written();
  return out;
}

Result<FrontSecrets> FrontSecrets::parse(std::string_view text) {
  auto current = take_line(text);
  if (!current || !take(text, "\n")) return kBadFrontFile;
  FrontSecrets secrets(std::move(current->secret), current->generation);
  if (text.empty()) return secrets;
  auto previous = take_line(text);
  if (!previous || previous->generation != secrets.generation_ - 1 || !take(text, kUntil)) {
    return kBadFrontFile;
  }
  const auto until = take_number<std::int64_t>(text);
  if (!until || !take(text, "\n") || !text.empty()) return kBadFrontFile;
  secrets.previous_.emplace(std::move(previous->secret), UnixTime{*until});
  return secrets;
}

}  // namespace karst::keys
