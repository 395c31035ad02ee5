#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/entropy.h"
#include "stream/cover/backend.h"
#include "stream/cover/exchange.h"
#include "stream/cover/file_tree.h"

namespace karst::stream::cover {

// The web site that every stranger gets. One per server process and thread; it outlives the
// connections that use it. There are two kinds:
//
//   files      a FileTree in memory and the built-in live page's WebSocket on `socket_path`
//   a backend  a reverse proxy: everything, and the WebSocket on `socket_path`, is the backend's
//
// Requests beyond kExchangesPerConnectionMax and kExchangesPerProcessMax wait their turn.
class Site final : public Handler {
 public:
  Site(FileTree files, std::string socket_path);
  // `entropy` gives Sec-WebSocket-Key towards the backend and outlives the site. `authority` is the
  // backend's own, for a client's request that names none.
  struct BackendOptions {
    std::string authority;  // "127.0.0.1:8080"
  };
  Site(BackendOptions options, std::string socket_path, Entropy& entropy);
  ~Site() override;

  std::unique_ptr<Exchange> begin(Request request, ConnectionKey connection,
                                  const Moment& moment) override;

  // Connections whose exchanges may have moved without a call on them: pump these. Until nullopt.
  // A key whose connection is gone is to be ignored.
  std::optional<ConnectionKey> poll_ready();

  // The path of the public WebSocket: "/live".
  std::string_view socket_path() const;
  // Null for a site of files.
  Backend* backend();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace karst::stream::cover
