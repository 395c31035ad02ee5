#include "driver/site_backend.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace karst::driver {

using stream::cover::Backend;
using stream::cover::BackendId;

class SiteBackend::Connection final : TcpStream::Handler {
 public:
  Connection(SiteBackend& owner, BackendId id, std::unique_ptr<TcpStream> socket)
      : owner_(owner), id_(id), socket_(std::move(socket)) {
    socket_->set_handler(*this);
  }

  // Writes what there is and reads only while there is room.
  void move() {
    if (!connected_ || ended_) return;
    write();
    update_interest();
  }

 private:
  void on_connected(Result<void> result) override {
    if (result.ok()) {
      connected_ = true;
      owner_.backend_.opened(id_, owner_.moment());
    } else {
      ended_ = true;
      owner_.backend_.failed(id_, owner_.moment());
    }
    owner_.progress_();
  }

  void on_readable() override {
    std::array<std::uint8_t, 16 * 1024> space;
    const std::size_t room = std::min(owner_.backend_.read_room(id_), space.size());
    if (room == 0) return update_interest();
    const auto read = socket_->read(MutableBytes(space).first(room));
    if (!read.ok()) {
      if (read.error().is(kWouldBlock)) return;
      end();
      owner_.backend_.failed(id_, owner_.moment());
    } else if (*read == 0) {
      end();
      owner_.backend_.ended(id_, owner_.moment());
    } else {
      owner_.backend_.received(id_, Bytes(space).first(*read), owner_.moment());
    }
    owner_.progress_();
  }

  void on_writable() override {
    blocked_ = false;
    move();
    // What was written made room for more of the client's body; or the connection has failed.
    owner_.progress_();
  }

  void end() {
    ended_ = true;
    socket_->set_interest(Interest::none);
  }

  void write() {
    std::array<std::uint8_t, 16 * 1024> space;
    while (!blocked_) {
      if (pending_.empty()) {
        const auto polled = owner_.backend_.poll_output(id_, space, owner_.moment());
        if (!polled || *polled == 0) return;
        pending_.assign(space.begin(), space.begin() + static_cast<std::ptrdiff_t>(*polled));
      }
      const Bytes run = pending_;
      const auto written = socket_->write({&run, 1});
      if (!written.ok()) {
        if (written.error().is(kWouldBlock)) {
          blocked_ = true;
          return;
        }
        end();
        return owner_.backend_.failed(id_, owner_.moment());
      }
      pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(*written));
    }
  }

  void update_interest() {
    if (ended_) return;
    const bool read = owner_.backend_.read_room(id_) > 0;
    const auto bits = static_cast<std::uint8_t>((read ? 1 : 0) | (blocked_ ? 2 : 0));
    socket_->set_interest(static_cast<Interest>(bits));
  }

  SiteBackend& owner_;
  const BackendId id_;
  std::unique_ptr<TcpStream> socket_;
  ByteVector pending_;
  bool connected_ = false;
  bool blocked_ = false;
  bool ended_ = false;
};

SiteBackend::SiteBackend(Backend& backend, const Endpoint& address, Ports& ports, Callback progress)
    : backend_(backend), address_(address), ports_(ports), progress_(std::move(progress)) {}

SiteBackend::~SiteBackend() = default;

stream::cover::Moment SiteBackend::moment() const { return {ports_.now(), ports_.wall_time()}; }

void SiteBackend::open(BackendId id) {
  auto socket = ports_.connect(address_);
  if (!socket.ok()) {
    backend_.failed(id, moment());
    return progress_();
  }
  connections_.emplace(id, std::make_unique<Connection>(*this, id, std::move(*socket)));
}

void SiteBackend::pump() {
  while (const auto action = backend_.poll_action()) {
    if (action->kind == Backend::Action::Kind::open) {
      open(action->id);
    } else {
      connections_.erase(action->id);
    }
  }
  for (auto& [id, connection] : connections_) connection->move();
}

}  // namespace karst::driver
