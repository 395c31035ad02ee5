#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/paths.h"

// The commands of the program, one file each. Every one returns an exit code (failure.h) and
// prints what went wrong to standard error as "karst: ...".
namespace karst::app {

struct InitServerOptions {
  std::string name;
  std::vector<std::string> listen;
  std::vector<std::string> addresses;
  std::string certificate;
  std::string key;
};
int init_server(const Paths& paths, const InitServerOptions& options);

struct InviteOptions {
  std::string name;
  std::string expires;
  std::vector<std::string> addresses;
  bool qr = false;
};
int invite(const Paths& paths, const InviteOptions& options);

struct JoinOptions {
  std::string uri;  // "-": one line of standard input
  std::string socks;
};
int join(const Paths& paths, const JoinOptions& options);

struct UpOptions {
  std::string rekey_window;                   // "": as the settings say; "auto" or a number
  std::optional<std::int32_t> lab_h2_window;  // for the laboratory alone
};
int up(const Paths& paths, const UpOptions& options);
int status(const Paths& paths, bool json);
int show_id(const Paths& paths);
int list_clients(const Paths& paths, bool json);
int revoke(const Paths& paths, const std::string& name);
int check_config(const Paths& paths);

int fail(const struct Failure& failure);

}  // namespace karst::app
