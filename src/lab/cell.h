#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/lab_network.h"
#include "lab/limiter.h"
#include "lab/load.h"
#include "lab/tunnel.h"

namespace karst::lab {

// Who carries a load, as files and tables name them.
inline constexpr const char* kBareName = "bare TCP";
inline constexpr const char* kKarstName = "karst";

// One point of the gate: a path and a load.
struct Cell {
  unsigned rtt_ms = 60;
  unsigned rate_mbit = 100;
  std::string loss = "0";  // percent, as the user writes it
  Traffic traffic = Traffic::down;
  unsigned streams = 1;
  unsigned seconds = 0;  // how long a run lasts; 0: as the gate's

  // "60/1000/0.1 down x8": names a cell in files and on the command line.
  std::string name() const;
  // Its part that is the link's: "60/1000/0.1".
  std::string path() const;
  LinkSettings link(std::uint64_t seed) const;
  // How long a run lasts; its second half counts.
  Duration length() const;
  // What the path carries of application bytes at most, both directions together: full segments of
  // TCP with time stamps over IPv4.
  double capacity_mbit() const;
};

std::string traffic_name(Traffic traffic);

// One run of one cell, directly or through the tunnel. All that the report shows of it.
struct CellRun {
  bool tunnel = false;
  std::string peer;  // in a comparison: what carried it
  std::uint64_t seed = 0;
  double mbit_up = 0;  // of application bytes in the second half, all streams together
  double mbit_down = 0;
  // Both, and at most what the path can carry: more reaches an application when a hole is filled,
  // of bytes that crossed the path before.
  double mbit = 0;
  double first_byte_ms = 0;  // the slowest stream's
  Duration silence_max{};    // the longest time that a stream was without a byte (load.h)
  std::vector<double> mbit_per_half_second;  // both directions together, the whole run
  std::uint64_t bytes = 0;
  std::vector<SenderTcp> senders;  // directly: the application's own connections
  LinkRunner::Report wire;
  std::string void_because;  // why it does not count (void_run.h); empty: it does
  double machine_idle = 1;   // of all processors' time in the second half, 0..1
  Duration lab_cpu{};        // of this process: the emulator and both ends of the load
  // Through the tunnel only.
  Duration client_cpu{};
  Duration server_cpu{};
  std::uint64_t client_peak_bytes = 0;
  std::uint64_t server_peak_bytes = 0;
  std::string client_status;  // JSON, while the load ran
  std::string server_status;
  Limiter limiter;  // of the sending end; of both, the one with the larger share

  double cpu_s_per_gb() const;    // of both ends; 0 if nothing was carried
  bool deadline_expired() const;  // of a rekey, at either end
};

// Where the load listens in the far namespace.
Endpoint load_target();

// Runs `cell` on the network, whose link gets the settings of the cell. `tunnel` null: directly.
// `stop`: as of a load. The error is a sentence.
std::expected<CellRun, std::string> run_cell(LabNetwork& network, const Cell& cell,
                                             std::uint64_t seed, const Tunnel* tunnel,
                                             const std::atomic<bool>* stop = nullptr);

}  // namespace karst::lab
