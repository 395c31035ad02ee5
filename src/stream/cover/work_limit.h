#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "stream/cover/exchange.h"

namespace karst::stream::cover {

// Connections that are to be pumped, each once, in the order in which they became ready.
class ReadyConnections {
 public:
  void push(ConnectionKey connection);
  std::optional<ConnectionKey> poll();

 private:
  std::deque<ConnectionKey> order_;
  std::set<ConnectionKey> members_;
};

// Lets kExchangesPerConnectionMax requests of a connection be in progress, and
// kExchangesPerProcessMax of the process; the others wait, first come first served within a
// connection, in turns between connections, and are never refused.
//
// A place of the process is for work of ours. A request holds it until its answer begins, and gives
// it up when the client is what it waits for: nobody can hold up the site by sending or reading
// slowly. The place of the connection is held to the end, since it bounds what one client can make
// us hold. An open WebSocket gives up both.
class WorkLimit {
 public:
  // `ready` learns which connections have a request whose turn has come, and outlives this.
  explicit WorkLimit(ReadyConnections& ready) : ready_(ready) {}
  void wake(ConnectionKey connection) { ready_.push(connection); }

  // Destroying it leaves the queue or gives its places up. It must not outlive the limit.
  class Ticket {
   public:
    Ticket(WorkLimit& limit, ConnectionKey connection);
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    bool has_turn() const { return state_ != State::waiting; }
    // Both do nothing the second time, and nothing before its turn.
    void give_up_process_place();
    void give_up_all();

   private:
    friend class WorkLimit;
    enum class State : std::uint8_t { waiting, holds_both, holds_connection, holds_none };
    WorkLimit& limit_;
    ConnectionKey connection_;
    State state_ = State::waiting;
  };

 private:
  struct Connection {
    std::size_t in_progress = 0;
    std::deque<Ticket*> waiting;
    bool in_line = false;  // It is in line_.
  };
  void join(Ticket& ticket);
  void leave(Ticket& ticket);
  void give_turn(Connection& connection);
  // Lets in whoever may, after a place became free.
  void advance();
  void stand_in_line(ConnectionKey key, Connection& connection);
  static bool may_start(const Connection& connection);

  ReadyConnections& ready_;
  std::map<ConnectionKey, Connection> connections_;
  // Connections that wait for a place of the process only.
  std::deque<ConnectionKey> line_;
  std::size_t in_progress_ = 0;
};

}  // namespace karst::stream::cover
