#pragma once

#include <atomic>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ip.h"
#include "lab/lab_network.h"
#include "lab/temporary_folder.h"
#include "lab/tunnel.h"
#include "platform/linux/child_process.h"

namespace karst::lab {

// How the tunnel under test is set; what is empty stays as the program's own default.
struct TunnelSettings {
  std::string program;                    // the karst to run
  std::string policy;                     // for both ends
  std::string rekey_window;               // "auto" or a number
  std::vector<std::string> up_arguments;  // beside `karst up`
};

// A real server in the far namespace and a real, enrolled client in the near one, both running.
// Their files are in a temporary folder that goes with this object.
class TunnelPair final : public Tunnel {
 public:
  // The pair with its link up, or a sentence about what failed, with the end of a log. `stop`, set
  // by anyone, ends the waiting.
  static std::expected<std::unique_ptr<TunnelPair>, std::string> start(
      const LabNetwork& network, const TunnelSettings& settings,
      const std::atomic<bool>* stop = nullptr);
  // Through start() only.
  explicit TunnelPair(TemporaryFolder folder) : folder_(std::move(folder)) {}
  ~TunnelPair() override;

  static Endpoint socks();  // in the near namespace

  Route route() const override;
  Account account() const override;
  // What `karst status --json` prints, or empty.
  std::string client_status() const override;
  std::string server_status() const override;
  std::string client_log() const;  // so far
  // A rekey deadline ended a link of either end, as its log says: what a link counted went with it.
  bool deadline_ended_a_link() const;

  pid_t client_pid() const { return client_->pid(); }
  pid_t server_pid() const { return server_->pid(); }

 private:
  std::optional<std::string> prepare(const TunnelSettings& settings);
  std::optional<std::string> launch(const LabNetwork& network, const TunnelSettings& settings);
  std::optional<std::string> launch_client(const LabNetwork& network,
                                           const TunnelSettings& settings);
  std::optional<platform::ChildProcess> up(const std::string& side, const LabNetwork& network,
                                           const TunnelSettings& settings) const;
  bool gets_ready(const std::string& side) const;
  std::string tail_of_log(const std::string& side) const;
  std::string status(const std::string& side) const;

  TemporaryFolder folder_;
  std::string program_;
  const std::atomic<bool>* stop_ = nullptr;
  std::optional<platform::ChildProcess> server_;
  std::optional<platform::ChildProcess> client_;
};

}  // namespace karst::lab
