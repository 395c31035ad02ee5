#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <utility>

namespace karst {

// One named way in which the world can misbehave. Each layer defines its own as
// `inline constexpr ErrorKind kSomething{"layer", "something", "what a person should know"};`
// and identity is the object's address: there is no central list.
struct ErrorKind {
  std::string_view layer;  // one word: "wire", "handshake", "tls"
  std::string_view name;   // lower-case-with-dashes; stable, used in logs and tests
  std::string_view text;   // one sentence for a person, without secrets or addresses
};

// A small value that is cheap on the packet path: no string is built. `detail` is a number whose
// meaning the kind states (an errno, a field id, an offset), or 0.
class [[nodiscard]] Error {
 public:
  constexpr Error(const ErrorKind& kind, std::int64_t detail = 0) : kind_(&kind), detail_(detail) {}

  const ErrorKind& kind() const { return *kind_; }
  std::int64_t detail() const { return detail_; }
  bool is(const ErrorKind& kind) const { return kind_ == &kind; }

 private:
  const ErrorKind* kind_;
  std::int64_t detail_;
};

// std::expected that the compiler refuses to let fall on the floor.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using Base = std::expected<T, Error>;
  using Base::Base;
  Result(const Error& error) : Base(std::unexpected(error)) {}
  Result(const ErrorKind& kind) : Base(std::unexpected(Error(kind))) {}

  bool ok() const { return this->has_value(); }
};

}  // namespace karst

#define KARST_CONCAT_INNER(a, b) a##b
#define KARST_CONCAT(a, b) KARST_CONCAT_INNER(a, b)

// TRY(expr): returns expr's error from this function, if it has one.
#define TRY(expression)                                     \
  do {                                                      \
    auto&& try_result = (expression);                       \
    if (!try_result.has_value()) return try_result.error(); \
  } while (false)

// TRY_ASSIGN(auto x, expr): the same, else moves the value into x.
#define TRY_ASSIGN(target, expression) \
  TRY_ASSIGN_INNER(KARST_CONCAT(try_value_, __LINE__), target, expression)
#define TRY_ASSIGN_INNER(result, target, expression) \
  auto result = (expression);                        \
  if (!result.has_value()) return result.error();    \
  target = std::move(*result)
