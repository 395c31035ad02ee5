#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "driver/ports.h"
#include "platform/linux/reactor.h"

namespace karst::platform {

struct ResolverOptions {
  // "192.0.2.1:53,[2001:db8::1]:53" in place of the servers of resolv.conf; empty: those.
  std::string servers;
  std::string resolv_conf = "/etc/resolv.conf";
  std::string hosts_file = "/etc/hosts";
  // For one question to one server, and how often each server is asked.
  Duration try_time = std::chrono::seconds(2);
  int tries = 2;
  // For one look-up with all its servers, tries and search domains.
  Duration whole_time = std::chrono::seconds(10);
};

// Names to addresses through c-ares on the reactor: the hosts file first, then the name servers.
// A changed resolv.conf counts for the look-ups that begin after the change. Literal addresses are
// answered without asking anybody. Answers are not remembered. Must outlive its look-ups.
class Resolver {
 public:
  // Look-ups under way, forgotten ones included until their questions have ended.
  static constexpr std::size_t kLookUpsMax = 1024;

  Resolver(Reactor& reactor, ResolverOptions options);
  ~Resolver();
  std::unique_ptr<driver::Lookup> look_up(std::string_view name, driver::AddressFamily family,
                                          driver::LookupCallback callback);

 private:
  class Channel;
  class ServerSocket;
  class PendingLookup;
  struct Question;
  // Which file the channel was made from.
  struct FileVersion {
    std::uint64_t inode = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const FileVersion&) const = default;
  };
  FileVersion configuration() const;

  Reactor& reactor_;
  ResolverOptions options_;
  FileVersion version_;
  std::shared_ptr<Channel> channel_;
};

}  // namespace karst::platform
