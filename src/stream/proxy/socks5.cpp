#include "stream/proxy/socks5.h"

#include <algorithm>
#include <array>

#include "base/reader.h"
#include "base/writer.h"
#include "stream/proxy/error.h"
#include "stream/proxy/socks5_wire.h"

namespace karst::stream::proxy {
namespace {

// RFC 1928 section 3 and RFC 1929.
constexpr std::uint8_t kMethodNone = 0x00;
constexpr std::uint8_t kMethodPassword = 0x02;
constexpr std::uint8_t kMethodRefused = 0xff;
constexpr std::uint8_t kPasswordVersion = 0x01;
constexpr std::uint8_t kPasswordAccepted = 0x00;
constexpr std::uint8_t kPasswordRefused = 0x01;

// RFC 1928 sections 4 and 6.
constexpr std::uint8_t kCommandConnect = 0x01;
constexpr std::uint8_t kCommandUdpAssociate = 0x03;
constexpr std::uint8_t kReplyCommandNotSupported = 0x07;
constexpr std::uint8_t kReplyAddressTypeNotSupported = 0x08;
constexpr std::size_t kReplyBytesMax = 4 + 16 + 2;

void append_reply(std::uint8_t code, const Endpoint& bound, Exchange& exchange) {
  std::array<std::uint8_t, kReplyBytesMax> space;
  Writer writer(space);
  writer.u8(kSocksVersion);
  writer.u8(code);
  writer.u8(0);
  writer.u8(bound.address.is_v4() ? kSocksIpv4 : kSocksIpv6);
  writer.bytes(bound.address.bytes());
  writer.u16(bound.port);
  exchange.to_client.append(Bytes(space).first(writer.written()));
}

void refuse(std::uint8_t code, const Error& error, Exchange& exchange) {
  append_reply(code, {}, exchange);
  exchange.fail(error);
}

}  // namespace

// The length of the message being collected, as far as its first bytes tell; never less than what
// is needed to tell more.
std::size_t Socks5Server::message_bytes() const {
  const auto& m = message_;
  switch (step_) {
    case Step::methods:
      return m.size() < 2 ? 2 : 2u + m[1];
    case Step::password: {
      if (m.size() < 2) return 2;
      const std::size_t password_at = 2u + m[1];
      return m.size() <= password_at ? password_at + 1 : password_at + 1 + m[password_at];
    }
    case Step::request_head:
      return kSocksRequestHeadBytes;
    case Step::request:
      switch (m[3]) {
        case kSocksIpv4:
          return kSocksRequestHeadBytes + 4 + 2;
        case kSocksIpv6:
          return kSocksRequestHeadBytes + 16 + 2;
        default:  // a name: handle_request_head() let nothing else through
          return m.size() < 5 ? 5 : 5u + m[4] + 2;
      }
    case Step::data:
    case Step::ignore:
      break;
  }
  return 0;
}

void Socks5Server::handle_client(Bytes bytes, Exchange& exchange) {
  while (!bytes.empty() && exchange.state != Exchange::State::closing) {
    if (step_ == Step::ignore) return;
    if (step_ == Step::data) {
      exchange.to_server.append(bytes);
      return;
    }
    const std::size_t count = std::min(message_bytes() - message_.size(), bytes.size());
    message_.insert(message_.end(), bytes.begin(),
                    bytes.begin() + static_cast<std::ptrdiff_t>(count));
    bytes = bytes.subspan(count);
    if (message_.size() == message_bytes()) handle_message(exchange);
  }
}

void Socks5Server::handle_message(Exchange& exchange) {
  switch (step_) {
    case Step::methods:
      handle_methods(exchange);
      break;
    case Step::password:
      handle_password(exchange);
      break;
    case Step::request_head:
      handle_request_head(exchange);
      return;  // The rest of the request follows it.
    case Step::request:
      handle_request(exchange);
      break;
    case Step::data:
    case Step::ignore:
      break;
  }
  message_.clear();
}

void Socks5Server::handle_methods(Exchange& exchange) {
  const std::uint8_t wanted = credentials_ ? kMethodPassword : kMethodNone;
  const bool offered =
      std::ranges::find(message_.begin() + 2, message_.end(), wanted) != message_.end();
  const std::uint8_t reply[] = {kSocksVersion, offered ? wanted : kMethodRefused};
  exchange.to_client.append(reply);
  if (!offered) {
    exchange.fail(kNoAcceptableMethod);
    return;
  }
  step_ = credentials_ ? Step::password : Step::request_head;
}

void Socks5Server::handle_password(Exchange& exchange) {
  Reader reader(message_);
  const bool version_ok = reader.u8() == kPasswordVersion;
  const Bytes user = reader.bytes(reader.u8());
  const Bytes password = reader.bytes(reader.u8());
  const bool accepted = version_ok && credentials_->match(user, password);
  const std::uint8_t reply[] = {kPasswordVersion, accepted ? kPasswordAccepted : kPasswordRefused};
  exchange.to_client.append(reply);
  if (!accepted) {
    exchange.fail(version_ok ? kBadCredentials : kMalformedSocks);
    return;
  }
  step_ = Step::request_head;
}

// Version, command and address type come first and are judged at once: behind an unknown address
// type nobody knows how long the request is.
void Socks5Server::handle_request_head(Exchange& exchange) {
  const std::uint8_t command = message_[1];
  const std::uint8_t type = message_[3];
  if (message_[0] != kSocksVersion) {
    refuse(answer(OpenResult::internal).socks5, kMalformedSocks, exchange);
  } else if (command != kCommandConnect && command != kCommandUdpAssociate) {
    refuse(kReplyCommandNotSupported, kUnsupportedCommand, exchange);
  } else if (type != kSocksIpv4 && type != kSocksName && type != kSocksIpv6) {
    refuse(kReplyAddressTypeNotSupported, kUnsupportedAddressType, exchange);
  } else {
    step_ = Step::request;
  }
}

void Socks5Server::handle_request(Exchange& exchange) {
  Reader reader(Bytes(message_).subspan(3));
  const SocksAddress to = read_socks_address(reader);
  if (message_[1] == kCommandUdpAssociate) {
    // A source given by name says as little as none.
    const IpAddress* address = to.host ? std::get_if<IpAddress>(&*to.host) : nullptr;
    exchange.request(UdpAssociateRequest{{address ? *address : IpAddress(), to.port}});
    exchange.filter_client = true;
    step_ = Step::ignore;
  } else if (!to.host) {
    refuse(answer(OpenResult::name_not_found).socks5, kBadTarget, exchange);
  } else if (to.port == 0) {
    refuse(answer(OpenResult::internal).socks5, kBadTarget, exchange);
  } else {
    exchange.request(ConnectRequest{{*to.host, to.port}});
    step_ = Step::data;
  }
}

void Socks5Server::handle_result(OpenResult result, const Endpoint& bound, Exchange& exchange) {
  append_reply(answer(result).socks5, result == OpenResult::ok ? bound : Endpoint{}, exchange);
  if (result == OpenResult::ok) {
    exchange.state = Exchange::State::open;
  } else {
    exchange.close();
  }
}

Bytes socks4_refusal() {
  // VN 0, CD 91: request rejected or failed; port and address have no meaning then.
  static constexpr std::uint8_t kRefusal[8] = {0x00, 0x5b, 0, 0, 0, 0, 0, 0};
  return kRefusal;
}

}  // namespace karst::stream::proxy
