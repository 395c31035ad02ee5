#pragma once

#include <memory>

#include "driver/ports.h"
#include "stream/carrier_connection.h"

namespace karst::driver {

// Moves the bytes of one TCP connection in and out of one end of the stream carrier, and keeps its
// deadline. It borrows the connection, which outlives it.
// The owner is told of progress (input was handed in, or a deadline was handled), and then looks
// at the connection and its link; and of the end, once, after what there was to send has been sent
// or cannot be: from that callback it may destroy this object.
class CarrierSocket final : private TcpStream::Handler {
 public:
  // What the last flush left behind; the limiter attribution asks.
  enum class Outcome : std::uint8_t {
    drained,      // everything that could be made was written
    socket_full,  // TCP takes no more
    out_of_turn,  // the work budget of a turn was used up
  };

  struct Flush {
    Outcome outcome;
    // The socket was full and takes bytes again since at most so long; zero if it was not full.
    Duration late{};
  };

  class Owner {
   public:
    virtual void on_carrier_progress() = 0;
    virtual void on_carrier_flushed(const Flush& flush) = 0;
    virtual void on_carrier_closed(const std::optional<Error>& error) = 0;

   protected:
    ~Owner() = default;
  };

  // `silence_limit`: TcpStream::set_silence_limit(). It is also the deadline for data that waits
  // while the other side takes nothing, of which the connection itself keeps no clock.
  CarrierSocket(std::unique_ptr<TcpStream> socket, stream::CarrierConnection& connection,
                Duration silence_limit, Ports& ports, Owner& owner);
  CarrierSocket(const CarrierSocket&) = delete;
  CarrierSocket& operator=(const CarrierSocket&) = delete;

  // Makes and writes output at the end of this turn. Cheap, any number of times; nothing once the
  // connection has closed, which what still ends with it need not know.
  void request_flush() {
    if (end_of_turn_) end_of_turn_->request();
  }
  // The path's round trip is this now: bounds TCP's pauses in an outage by it.
  void follow_path(Duration round_trip);
  TcpStream& socket() { return *socket_; }
  std::uint64_t bytes_read() const { return bytes_read_; }
  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  void on_connected(Result<void>) override {}
  void on_readable() override;
  void on_writable() override;
  void flush();
  void handle_timer();
  void rearm();
  void update_interest();
  void close(const std::optional<Error>& error);

  std::unique_ptr<TcpStream> socket_;
  stream::CarrierConnection& connection_;
  Ports& ports_;
  Owner& owner_;
  std::unique_ptr<EndOfTurn> end_of_turn_;
  std::unique_ptr<Timer> timer_;
  std::optional<TimePoint> armed_;
  std::optional<TimePoint> handled_at_;  // when deadlines were last handled
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
  bool blocked_ = false;  // the socket took less than it was given
  bool closing_ = false;
  Duration late_{};
};

}  // namespace karst::driver
