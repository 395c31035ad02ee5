#pragma once

#include <map>
#include <memory>
#include <optional>

#include "driver/ports.h"
#include "keys/kem_turns.h"
#include "stream/kem_gate.h"

namespace karst::driver {

// The links of one loop take turns at KEM work: keys::KemTurns, told the time and the loop's turns.
// One per loop; outlives its seats.
class KemShare {
 public:
  // The place of one link. `wake` asks for the link's output to be moved at the end of the turn; a
  // link that does not use the turn it was woken for has lost it.
  class Seat final : public stream::KemGate {
   public:
    Seat(KemShare& share, Callback wake);
    ~Seat();
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    bool enter(TimePoint now) override;
    void started() override;
    void finished() override;

   private:
    friend class KemShare;
    KemShare& share_;
    Callback wake_;
    const keys::KemTurns::Peer peer_;
  };

  explicit KemShare(Ports& ports);
  KemShare(const KemShare&) = delete;
  KemShare& operator=(const KemShare&) = delete;

 private:
  void give_turn();
  void arm();

  Ports& ports_;
  keys::KemTurns turns_;
  std::unique_ptr<Timer> timer_;
  std::map<keys::KemTurns::Peer, Seat*> seats_;
  std::uint64_t next_peer_ = 1;
  Seat* granted_ = nullptr;  // may do one operation
  TimePoint started_{};
};

}  // namespace karst::driver
