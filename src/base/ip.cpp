#include "base/ip.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace karst {

IpAddress IpAddress::v4(std::array<std::uint8_t, 4> bytes) {
  IpAddress out;
  std::ranges::copy(bytes, out.bytes_.begin());
  return out;
}

IpAddress IpAddress::v6(std::array<std::uint8_t, 16> bytes) {
  IpAddress out;
  out.bytes_ = bytes;
  out.v4_ = false;
  return out;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string zero_terminated(text);
  std::array<std::uint8_t, 4> four{};
  std::array<std::uint8_t, 16> sixteen{};
  if (text.find('\0') != text.npos) return std::nullopt;
  if (inet_pton(AF_INET, zero_terminated.c_str(), four.data()) == 1) return v4(four);
  if (inet_pton(AF_INET6, zero_terminated.c_str(), sixteen.data()) == 1) return v6(sixteen);
  return std::nullopt;
}

std::string IpAddress::text() const {
  char out[INET6_ADDRSTRLEN];
  CHECK(inet_ntop(v4_ ? AF_INET : AF_INET6, bytes_.data(), out, sizeof(out)) != nullptr);
  return out;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  if (text.empty() || text.front() == '0') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::optional<Endpoint> Endpoint::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto address = IpAddress::parse(host);
  const auto port = parse_port(text.substr(colon + 1));
  if (!address || !port || address->is_v4() == bracketed) return std::nullopt;
  return Endpoint{*address, *port};
}

std::string Endpoint::text() const {
  const std::string host = address.text();
  return (address.is_v4() ? host : "[" + host + "]") + ":" + std::to_string(port);
}

}  // namespace karst
