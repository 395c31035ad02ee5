#include "platform/linux/event_loop.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "platform/linux/clock.h"
#include "platform/linux/own_addresses.h"
#include "platform/linux/tcp_listener.h"
#include "platform/linux/tcp_stream.h"
#include "platform/linux/udp_socket.h"

namespace karst::platform {

Result<std::unique_ptr<EventLoop>> EventLoop::create(const ResolverOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  TRY_ASSIGN(auto reactor, Reactor::create());
  TRY_ASSIGN(auto inbox, Inbox::create(*reactor));
  return std::make_unique<EventLoop>(std::move(reactor), std::move(inbox), options);
}

EventLoop::EventLoop(std::unique_ptr<Reactor> reactor, std::unique_ptr<Inbox> inbox,
                     const ResolverOptions& options)
    : reactor_(std::move(reactor)),
      lingering_(*reactor_),
      resolver_(*reactor_, options),
      inbox_(std::move(inbox)) {}

EventLoop::~EventLoop() = default;

void EventLoop::run() {
  while (!stop_.exchange(false)) turn(TimePoint::max());
}

void EventLoop::stop() {
  stop_ = true;
  inbox_->post([] {});
}

void EventLoop::run_turn(Duration longest) { turn(monotonic_now() + longest); }

void EventLoop::post(driver::Callback callback) { inbox_->post(std::move(callback)); }

Result<std::unique_ptr<SignalWatch>> EventLoop::on_signals(std::initializer_list<int> signals,
                                                           SignalCallback callback) {
  return watch_signals(*reactor_, signals, std::move(callback));
}

void EventLoop::turn(TimePoint deadline) {
  reactor_->wait(deadline, end_of_turn_.empty());
  reactor_->timers().fire(reactor_->now());
  reactor_->dispatch();
  end_of_turn_.run();
}

TimePoint EventLoop::clock() const { return monotonic_now(); }

UnixTime EventLoop::wall_time() const { return wall_now(); }

std::unique_ptr<driver::Timer> EventLoop::make_timer(driver::Callback callback) {
  return reactor_->timers().make(std::move(callback));
}

std::unique_ptr<driver::EndOfTurn> EventLoop::make_end_of_turn(driver::Callback callback) {
  return end_of_turn_.make(std::move(callback));
}

Result<std::unique_ptr<driver::TcpStream>> EventLoop::connect(const Endpoint& to) {
  return connect_tcp(lingering_, to);
}

Result<std::unique_ptr<driver::TcpListener>> EventLoop::listen(const Endpoint& at) {
  return listen_tcp(lingering_, at);
}

Result<std::unique_ptr<driver::UdpSocket>> EventLoop::open_udp(const Endpoint& at) {
  return open_udp_socket(*reactor_, at);
}

std::unique_ptr<driver::Lookup> EventLoop::look_up(std::string_view name,
                                                   driver::AddressFamily family,
                                                   driver::LookupCallback callback) {
  return resolver_.look_up(name, family, std::move(callback));
}

std::vector<IpAddress> EventLoop::own_addresses() {
  auto found = own_interface_addresses();
  if (found.ok()) own_addresses_ = std::move(*found);
  return own_addresses_;
}

}  // namespace karst::platform
