#pragma once

#include <atomic>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/peer.h"
#include "lab/temporary_folder.h"
#include "lab/tunnel.h"
#include "platform/linux/child_process.h"

namespace karst::lab {

enum class Rights : std::uint8_t { root, user };

// A peer, and whether it can be measured here.
struct PeerState {
  Peer peer;
  std::map<std::string, std::string> paths;  // of its programs
  std::string version;
  std::string absent;  // why it cannot be measured, or empty
};

// Looks for its programs in PATH and where system programs are, and asks for the version.
PeerState look_up(const Peer& peer, Rights rights);

// A peer's server in the far namespace and its client in the near one, both running. Keys and
// configurations are in a temporary folder that goes with this object.
class PeerPair final : public Tunnel {
 public:
  // The pair once a byte has gone each way through it, or a sentence about what failed, with the
  // end of a log. `state` and `network` outlive it. `stop`: gives up soon once it is set.
  static std::expected<std::unique_ptr<PeerPair>, std::string> start(const LabNetwork& network,
                                                                     const PeerState& state,
                                                                     const Cell& cell,
                                                                     const std::atomic<bool>& stop);
  // Through start() only.
  PeerPair(const PeerState& state, TemporaryFolder folder)
      : state_(state), folder_(std::move(folder)) {}
  ~PeerPair() override;

  Route route() const override;
  Account account() const override;

 private:
  using Problem = std::optional<std::string>;
  Problem bring_up(const LabNetwork& network, const Cell& cell, const std::atomic<bool>& stop);
  Problem launch(const LabNetwork& network, Side side, Peer::Argv argv);
  Problem wait_for_server(const std::atomic<bool>& stop);
  Problem wait_for_passage(const LabNetwork& network, const std::atomic<bool>& stop);
  // A sentence if one of the two has ended, with the end of its log.
  Problem ended();

  const PeerState& state_;
  TemporaryFolder folder_;
  std::optional<platform::ChildProcess> server_;
  std::optional<platform::ChildProcess> client_;
};

}  // namespace karst::lab
