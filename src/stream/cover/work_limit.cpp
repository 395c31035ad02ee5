#include "stream/cover/work_limit.h"

#include <algorithm>

#include "base/check.h"

namespace karst::stream::cover {

void ReadyConnections::push(ConnectionKey connection) {
  if (members_.insert(connection).second) order_.push_back(connection);
}

std::optional<ConnectionKey> ReadyConnections::poll() {
  if (order_.empty()) return std::nullopt;
  const ConnectionKey first = order_.front();
  order_.pop_front();
  members_.erase(first);
  return first;
}

WorkLimit::Ticket::Ticket(WorkLimit& limit, ConnectionKey connection)
    : limit_(limit), connection_(connection) {
  limit_.join(*this);
}

WorkLimit::Ticket::~Ticket() { limit_.leave(*this); }

void WorkLimit::Ticket::give_up_process_place() {
  if (state_ != State::holds_both) return;
  state_ = State::holds_connection;
  --limit_.in_progress_;
  limit_.advance();
}

void WorkLimit::Ticket::give_up_all() {
  if (state_ == State::waiting) return;
  limit_.leave(*this);
  state_ = State::holds_none;
}

bool WorkLimit::may_start(const Connection& connection) {
  return !connection.waiting.empty() && connection.in_progress < kExchangesPerConnectionMax;
}

void WorkLimit::give_turn(Connection& connection) {
  Ticket& ticket = *connection.waiting.front();
  connection.waiting.pop_front();
  ticket.state_ = Ticket::State::holds_both;
  ++connection.in_progress;
  ++in_progress_;
}

void WorkLimit::stand_in_line(ConnectionKey key, Connection& connection) {
  if (connection.in_line || !may_start(connection)) return;
  connection.in_line = true;
  line_.push_back(key);
}

void WorkLimit::join(Ticket& ticket) {
  Connection& connection = connections_[ticket.connection_];
  connection.waiting.push_back(&ticket);
  if (!may_start(connection)) return;
  if (in_progress_ < kExchangesPerProcessMax) {
    give_turn(connection);
  } else {
    stand_in_line(ticket.connection_, connection);
  }
}

void WorkLimit::advance() {
  while (in_progress_ < kExchangesPerProcessMax && !line_.empty()) {
    const ConnectionKey key = line_.front();
    line_.pop_front();
    Connection& connection = connections_.at(key);
    connection.in_line = false;
    if (!may_start(connection)) continue;
    give_turn(connection);
    ready_.push(key);
    stand_in_line(key, connection);
  }
}

void WorkLimit::leave(Ticket& ticket) {
  using State = Ticket::State;
  if (ticket.state_ == State::holds_none) return;
  const auto found = connections_.find(ticket.connection_);
  CHECK(found != connections_.end());
  Connection& connection = found->second;
  if (ticket.state_ == State::waiting) {
    std::erase(connection.waiting, &ticket);
  } else {
    --connection.in_progress;
    if (ticket.state_ == State::holds_both) --in_progress_;
  }
  stand_in_line(ticket.connection_, connection);
  if (connection.in_progress == 0 && connection.waiting.empty()) {
    if (connection.in_line) std::erase(line_, ticket.connection_);
    connections_.erase(found);
  }
  advance();
}

}  // namespace karst::stream::cover
