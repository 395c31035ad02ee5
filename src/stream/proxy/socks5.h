#pragma once

#include <optional>

#include "stream/proxy/credentials.h"
#include "stream/proxy/exchange.h"
#include "stream/proxy/open_result.h"

namespace karst::stream::proxy {

// The server's half of one SOCKS5 connection (RFC 1928, 1929): CONNECT and UDP ASSOCIATE with
// IPv4, IPv6 and names. BIND and unknown commands get 0x07, unknown address types 0x08. A name
// that cannot exist gets 0x04, as one that does not. It opens nothing, resolves nothing and does
// not see UDP (socks5_udp.h).
//
// With credentials only method 0x02 is accepted, without them only 0x00.
class Socks5Server {
 public:
  explicit Socks5Server(const std::optional<Credentials>& credentials)
      : credentials_(credentials) {}

  // Bytes behind the request go to to_server, or nowhere for UDP ASSOCIATE.
  void handle_client(Bytes bytes, Exchange& exchange);
  // Once, in State::requested. `bound` becomes BND.ADDR and BND.PORT: for UDP ASSOCIATE the
  // relay's endpoint, for CONNECT the address at the far end if it is known.
  void handle_result(OpenResult result, const Endpoint& bound, Exchange& exchange);

 private:
  enum class Step : std::uint8_t { methods, password, request_head, request, data, ignore };

  std::size_t message_bytes() const;
  void handle_message(Exchange& exchange);
  void handle_methods(Exchange& exchange);
  void handle_password(Exchange& exchange);
  void handle_request_head(Exchange& exchange);
  void handle_request(Exchange& exchange);

  std::optional<Credentials> credentials_;
  Step step_ = Step::methods;
  ByteVector message_;  // the message being collected, at most 513 bytes
};

// The eight bytes with which a SOCKS4 or 4a request is refused.
Bytes socks4_refusal();

}  // namespace karst::stream::proxy
