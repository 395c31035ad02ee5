#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/ip.h"
#include "base/result.h"
#include "base/time.h"
#include "base/trace.h"

// The world as the driver sees it. platform/linux implements these interfaces over the kernel,
// sim/ over a virtual network. One thread owns a Ports object and everything made by it; every
// call and every callback is on that thread.
//
// Rules that hold for all callbacks: none is made from inside a call into the port (a port only
// notes what happened and calls from the loop); none is made after the object that would receive
// it has been destroyed, since destroying a port object ends its notifications; and a callback may
// destroy the very object that calls it.
namespace karst::driver {

inline constexpr ErrorKind kWouldBlock{"io", "would-block", "nothing can move right now"};
inline constexpr ErrorKind kRefused{"io", "refused", "the other side refused the connection"};
inline constexpr ErrorKind kHostUnreachable{"io", "host-unreachable", "the host cannot be reached"};
inline constexpr ErrorKind kNetUnreachable{"io", "net-unreachable",
                                           "the network cannot be reached"};
inline constexpr ErrorKind kTimedOut{"io", "timed-out", "the other side did not answer in time"};
inline constexpr ErrorKind kReset{"io", "reset", "the other side ended the connection abruptly"};
inline constexpr ErrorKind kAddressInUse{"io", "address-in-use",
                                         "another program already uses this address and port"};
inline constexpr ErrorKind kAddressNotAvailable{"io", "address-not-available",
                                                "this machine does not have that address"};
inline constexpr ErrorKind kPermission{"io", "permission-denied",
                                       "the system does not permit this; is root needed?"};
inline constexpr ErrorKind kTooManyFiles{"io", "too-many-files",
                                         "the limit of open files is reached (ulimit -n)"};
// A listener rests for want of them.
inline constexpr TraceKind kTraceTooManyFiles{
    TraceLevel::warning, "too-many-files",
    "the limit of open files is reached (ulimit -n): new connections wait"};
// detail = errno
inline constexpr ErrorKind kSystem{"io", "system", "the system reported an error"};
inline constexpr ErrorKind kNameNotFound{"dns", "name-not-found", "the name does not exist"};
inline constexpr ErrorKind kNameServerFailed{"dns", "name-server-failed",
                                             "no name server gave an answer"};

using Callback = std::move_only_function<void()>;

// A one-shot timer. Destroying it disarms it.
class Timer {
 public:
  virtual ~Timer() = default;
  // Replaces an earlier time. A time that has passed fires in the next turn.
  virtual void arm(TimePoint at) = 0;
  virtual void disarm() = 0;
};

// Work that runs once at the end of the current turn, however often it was requested, after all
// socket callbacks of the turn and before the loop sleeps. Destroying it drops the request.
class EndOfTurn {
 public:
  virtual ~EndOfTurn() = default;
  virtual void request() = 0;
};

// What TCP_INFO and SO_MEMINFO say, in bytes and nanoseconds; zero where the kernel does not tell.
struct TcpInfo {
  Duration rtt{};
  Duration rtt_variation{};
  std::uint64_t congestion_window = 0;
  std::uint64_t unacknowledged = 0;
  std::uint64_t not_sent = 0;
  std::uint64_t receive_window_of_peer = 0;
  std::uint64_t delivery_rate = 0;  // bytes per second
  std::uint64_t pacing_rate = 0;    // bytes per second
  std::uint64_t retransmitted_segments = 0;
  // How large the buffers may get now, as autotuning has them: with the kernel's own overhead.
  std::uint64_t send_buffer = 0;
  std::uint64_t receive_buffer = 0;
  Duration busy{};
  Duration receive_window_limited{};
  Duration send_buffer_limited{};
};

enum class Interest : std::uint8_t { none = 0, read = 1, write = 2, both = 3 };

// One TCP connection. Destruction closes it: what was written is still sent; unread input does
// not matter. Nothing ever sets its buffer sizes: that would switch the kernel's autotuning off.
class TcpStream {
 public:
  class Handler {
   public:
    // Once for a stream from Ports::connect, before anything else; never for an accepted one.
    // After an error the stream is dead and only to be destroyed.
    virtual void on_connected(Result<void> result) = 0;
    // In each turn in which the kernel has input (or its end, or an error) and reading is wanted.
    virtual void on_readable() = 0;
    // In each turn in which the kernel takes output and writing is wanted.
    virtual void on_writable() = 0;

   protected:
    ~Handler() = default;
  };

  virtual ~TcpStream() = default;
  // Must be set before the first turn after the stream was made; may be changed later.
  virtual void set_handler(Handler& handler) = 0;
  // Starts as none. Cheap to call with the value it already has.
  virtual void set_interest(Interest interest) = 0;
  // The number of bytes read, at least 1; 0 is the end of the stream. kWouldBlock, kReset, ...
  virtual Result<std::size_t> read(MutableBytes space) = 0;
  // The number of bytes taken from the runs in order, at least 1. kWouldBlock, kReset, ...
  virtual Result<std::size_t> write(std::span<const Bytes> runs) = 0;
  // Sends FIN after what was written; reading goes on.
  virtual void shutdown_write() = 0;
  // Makes the destructor send RST instead of FIN.
  virtual void abort_on_close() = 0;
  // From now on an end that shutdown_write() did not come before is a RST: at destruction, and when
  // the process is killed and the kernel closes for it. So the other side never takes a part of
  // what it was to get for the whole.
  virtual void reset_unless_shut() = 0;
  // TCP_NODELAY is always on. Bounds what waits unsent in the kernel (TCP_NOTSENT_LOWAT), so
  // that priorities above still work; on_writable comes when less than this is unsent.
  virtual void set_unsent_low_water(std::uint32_t bytes) = 0;
  // From now on the connection fails with kTimedOut when the other side's TCP leaves data
  // unacknowledged, or takes no more of it, for so long; or when it does not answer although
  // nothing was sent for twice as long. Without it a host that has vanished is noticed after a
  // quarter of an hour, and never on an idle connection.
  virtual void set_silence_limit(Duration limit) = 0;
  // TCP sends again what was not acknowledged at least so often, once a second being the most. Of
  // effect where the kernel can (Linux 6.15).
  virtual void set_retransmission_pause(Duration longest) = 0;
  // Asks for a congestion control by name and returns the name in use afterwards.
  virtual std::string choose_congestion_control(std::string_view wanted) = 0;
  virtual TcpInfo info() = 0;
  virtual Endpoint local() const = 0;
  virtual Endpoint remote() const = 0;
};

class TcpListener {
 public:
  class Handler {
   public:
    virtual void on_accept(std::unique_ptr<TcpStream> stream) = 0;
    // Descriptors or memory have run out: connections wait until there are some again. Called once
    // for each such time, however long it is; does not destroy the listener.
    virtual void on_accept_rests() {}

   protected:
    ~Handler() = default;
  };
  virtual ~TcpListener() = default;
  virtual void set_handler(Handler& handler) = 0;
  virtual Endpoint local() const = 0;
};

// One UDP socket, unconnected.
class UdpSocket {
 public:
  class Handler {
   public:
    virtual void on_readable() = 0;

   protected:
    ~Handler() = default;
  };
  virtual ~UdpSocket() = default;
  virtual void set_handler(Handler& handler) = 0;
  // A datagram longer than `space` is cut. kWouldBlock when there is none.
  struct Received {
    std::size_t size;
    Endpoint from;
  };
  virtual Result<Received> receive(MutableBytes space) = 0;
  // kWouldBlock when the socket buffer is full: the datagram was not sent.
  virtual Result<void> send(Bytes datagram, const Endpoint& to) = 0;
  virtual Endpoint local() const = 0;
};

enum class AddressFamily : std::uint8_t { v4, v6 };

// One name look-up under way. Destroying it cancels it: the callback will not come.
class Lookup {
 public:
  virtual ~Lookup() = default;
};
using LookupCallback = std::move_only_function<void(Result<std::vector<IpAddress>>)>;

class Ports {
 public:
  virtual ~Ports() = default;

  // One reading per turn: constant while callbacks of one turn run.
  virtual TimePoint now() const = 0;
  // The same clock, read at the call: for how long something takes.
  virtual TimePoint clock() const { return now(); }
  // Read at the call.
  virtual UnixTime wall_time() const = 0;
  // How long the callbacks of the turn before this one took: what became ready meanwhile may have
  // waited for so long.
  virtual Duration last_turn_work() const { return {}; }

  virtual std::unique_ptr<Timer> make_timer(Callback callback) = 0;
  virtual std::unique_ptr<EndOfTurn> make_end_of_turn(Callback callback) = 0;

  // The result comes through Handler::on_connected. An error here is one that the system gave at
  // once (no route, no descriptors).
  virtual Result<std::unique_ptr<TcpStream>> connect(const Endpoint& to) = 0;
  virtual Result<std::unique_ptr<TcpListener>> listen(const Endpoint& at) = 0;
  // Port 0 lets the system choose.
  virtual Result<std::unique_ptr<UdpSocket>> open_udp(const Endpoint& at) = 0;
  // All addresses of one family; an empty list is a name without addresses of that family.
  virtual std::unique_ptr<Lookup> look_up(std::string_view name, AddressFamily family,
                                          LookupCallback callback) = 0;
  // Addresses of this machine's interfaces now, for the egress policy.
  virtual std::vector<IpAddress> own_addresses() = 0;
};

}  // namespace karst::driver
