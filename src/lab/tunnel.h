#pragma once

#include <optional>
#include <string>

#include "base/ip.h"
#include "lab/process_account.h"

namespace karst::lab {

// How a load gets from the near namespace into the far one.
struct Route {
  Endpoint target;                // where the far side listens
  std::optional<Endpoint> socks;  // through this proxy in the near namespace
  std::optional<Endpoint> dial;   // to this address in place of the target, which it leads to
};

// A program that runs at both ends and carries a load between them: Karst or another. It runs as
// long as this object lives.
class Tunnel {
 public:
  Tunnel() = default;
  Tunnel(const Tunnel&) = delete;
  virtual ~Tunnel() = default;

  virtual Route route() const = 0;
  struct Account {
    ProcessAccount client;
    ProcessAccount server;
  };
  virtual Account account() const = 0;  // so far

  // What it says about itself, as JSON, or nothing.
  virtual std::string client_status() const { return {}; }
  virtual std::string server_status() const { return {}; }
};

}  // namespace karst::lab
