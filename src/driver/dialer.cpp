#include "driver/dialer.h"

#include <string>
#include <utility>

namespace karst::driver {

using namespace stream::proxy;

namespace {

OpenResult to_outcome(const Result<void>& result) {
  if (result.ok()) return OpenResult::ok;
  const Error& error = result.error();
  if (error.is(kRefused) || error.is(kReset)) return OpenResult::refused;
  if (error.is(kHostUnreachable)) return OpenResult::host_unreachable;
  if (error.is(kNetUnreachable) || error.is(kAddressNotAvailable)) {
    return OpenResult::network_unreachable;
  }
  if (error.is(kTimedOut)) return OpenResult::timed_out;
  if (error.is(kTooManyFiles)) return OpenResult::limit;
  return OpenResult::internal;
}

OpenResult reason_of(const Result<std::vector<IpAddress>>& answer) {
  if (answer.ok() || answer.error().is(kNameNotFound)) return OpenResult::name_not_found;
  if (answer.error().is(kTimedOut)) return OpenResult::timed_out;
  return OpenResult::internal;
}

}  // namespace

// One connection that is being made.
class Dialer::Attempt final : TcpStream::Handler {
 public:
  Attempt(Dialer& dialer, std::uint32_t id, std::unique_ptr<TcpStream> stream)
      : dialer_(dialer), id_(id), stream_(std::move(stream)) {
    stream_->set_handler(*this);
  }
  std::unique_ptr<TcpStream> take() { return std::move(stream_); }

 private:
  void on_connected(Result<void> result) override { dialer_.handle_attempt(id_, result); }
  void on_readable() override {}
  void on_writable() override {}

  Dialer& dialer_;
  const std::uint32_t id_;
  std::unique_ptr<TcpStream> stream_;
};

Dialer::Dialer(Target target, const EgressPolicy& policy, Ports& ports, Done done,
               const HappyEyeballsConfig& config, LinkLookUps* look_ups)
    : target_(std::move(target)),
      policy_(policy),
      ports_(ports),
      look_ups_(look_ups),
      done_(std::move(done)),
      race_(config, target_.port, ports.now()),
      timer_(ports.make_timer([this] {
        race_.handle_deadline(ports_.now());
        advance();
      })) {}

Dialer::~Dialer() = default;

void Dialer::start() {
  if (const auto* address = std::get_if<IpAddress>(&target_.host)) {
    race_.handle_literal(*address, policy_, ports_.now());
  } else {
    look_up(AddressFamily::v6);
    look_up(AddressFamily::v4);
  }
  advance();
}

void Dialer::look_up(AddressFamily family) {
  const std::string_view name = std::get<HostName>(target_.host).text();
  auto handle = [this, family](const Result<std::vector<IpAddress>>& answer) {
    handle_answer(family, answer);
  };
  lookups_[family == AddressFamily::v4 ? 0 : 1] =
      look_ups_ != nullptr ? look_ups_->look_up(name, family, std::move(handle))
                           : ports_.look_up(name, family, std::move(handle));
}

void Dialer::handle_answer(AddressFamily family, const Result<std::vector<IpAddress>>& answer) {
  const std::vector<IpAddress> none;
  race_.handle_answer(family == AddressFamily::v4 ? IpFamily::v4 : IpFamily::v6,
                      answer.ok() ? *answer : none, reason_of(answer), policy_, ports_.now());
  advance();
}

void Dialer::handle_attempt(std::uint32_t id, Result<void> result) {
  race_.handle_attempt(id, to_outcome(result), ports_.now());
  if (!result.ok()) attempts_.erase(id);
  advance();
}

void Dialer::advance() {
  while (auto action = race_.poll_action()) {
    if (const auto* start = std::get_if<HappyEyeballs::Start>(&*action)) {
      auto stream = ports_.connect(start->to);
      if (stream.ok()) {
        attempts_.emplace(start->id,
                          std::make_unique<Attempt>(*this, start->id, std::move(*stream)));
      } else {
        race_.handle_attempt(start->id, to_outcome(Result<void>(stream.error())), ports_.now());
      }
    } else if (const auto* cancel = std::get_if<HappyEyeballs::Cancel>(&*action)) {
      attempts_.erase(cancel->id);
    } else if (const auto* winner = std::get_if<HappyEyeballs::Connected>(&*action)) {
      return finish(attempts_.at(winner->id)->take(), OpenResult::ok);
    } else {
      return finish(nullptr, std::get<HappyEyeballs::Failed>(*action).reason);
    }
  }
  if (const auto deadline = race_.next_deadline()) {
    timer_->arm(*deadline);
  } else {
    timer_->disarm();
  }
}

void Dialer::finish(std::unique_ptr<TcpStream> stream, OpenResult result) {
  // Its owner may keep this object for as long as the connection, and others wait for their turn.
  lookups_ = {};
  std::exchange(done_, nullptr)(std::move(stream), result);
}

}  // namespace karst::driver
