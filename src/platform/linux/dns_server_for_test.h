#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/reader.h"
#include "base/writer.h"
#include "platform/linux/test_support.h"

namespace karst::platform {

// A name server on loopback inside the test's own loop, over UDP and TCP (RFC 1035). It answers
// from its table, says NXDOMAIN for other names, and can be silent, broken or brief.
class DnsServerForTest : driver::UdpSocket::Handler, driver::TcpListener::Handler {
 public:
  enum class Mood { answer, silent, server_failure, truncated };

  explicit DnsServerForTest(EventLoop& loop) {
    // The port that the system chose for one may be taken for the other.
    while (tcp_ == nullptr) {
      udp_ = std::move(*loop.open_udp(loopback()));
      auto tcp = loop.listen(udp_->local());
      if (tcp.ok()) tcp_ = std::move(*tcp);
    }
    udp_->set_handler(*this);
    tcp_->set_handler(*this);
  }
  virtual ~DnsServerForTest() = default;

  std::string address() const { return udp_->local().text(); }
  void add(const std::string& name, std::string_view address) {
    names_[name].push_back(*IpAddress::parse(address));
  }

  Mood mood = Mood::answer;
  std::uint32_t keep_seconds = 0;      // of the answers: how long they may be remembered
  std::vector<std::string> questions;  // "name/type", in order of arrival
  int over_tcp = 0;

 private:
  static constexpr std::uint16_t kA = 1;
  static constexpr std::uint16_t kAaaa = 28;

  struct TcpClient final : driver::TcpStream::Handler {
    TcpClient(DnsServerForTest& owner, std::unique_ptr<driver::TcpStream> opened)
        : server(owner), stream(std::move(opened)) {
      stream->set_handler(*this);
      stream->set_interest(driver::Interest::read);
    }
    void on_connected(Result<void>) override {}
    void on_writable() override {}
    void on_readable() override {
      std::uint8_t space[600];
      const auto got = stream->read(space);
      if (!got.ok() || *got < 2) return stream->set_interest(driver::Interest::none);
      ++server.over_tcp;
      const ByteVector answer = server.answer(Bytes(space).subspan(2, *got - 2), true);
      const std::uint8_t length[] = {static_cast<std::uint8_t>(answer.size() >> 8),
                                     static_cast<std::uint8_t>(answer.size())};
      const Bytes runs[] = {length, answer};
      EXPECT_TRUE(stream->write(runs).ok());
    }
    DnsServerForTest& server;
    std::unique_ptr<driver::TcpStream> stream;
  };

  void on_accept(std::unique_ptr<driver::TcpStream> stream) override {
    clients_.push_back(std::make_unique<TcpClient>(*this, std::move(stream)));
  }
  void on_readable() override {
    std::uint8_t space[600];
    for (;;) {
      const auto got = udp_->receive(space);
      if (!got.ok()) return;
      const ByteVector reply = answer(Bytes(space).first(got->size), false);
      if (reply.empty()) continue;
      EXPECT_TRUE(udp_->send(reply, got->from).ok());
    }
  }

  ByteVector answer(Bytes query, bool tcp) {
    Reader reader(query);
    const std::uint16_t id = reader.u16();
    reader.bytes(10);
    std::string name;
    while (const std::uint8_t length = reader.u8()) {
      if (!name.empty()) name += '.';
      name += as_text(reader.bytes(length));
    }
    const std::uint16_t type = reader.u16();
    reader.u16();
    questions.push_back(name + "/" + std::to_string(type));
    if (!reader.ok() || mood == Mood::silent) return {};
    const Bytes question = query.subspan(12, query.size() - 12 - reader.remaining());
    return format(id, question, name, type, tcp);
  }

  ByteVector format(std::uint16_t id, Bytes question, const std::string& name, std::uint16_t type,
                    bool tcp) {
    std::vector<IpAddress> found;
    const auto entry = names_.find(name);
    if (entry != names_.end()) {
      for (const IpAddress& address : entry->second) {
        if (address.is_v4() == (type == kA)) found.push_back(address);
      }
    }
    const bool cut = mood == Mood::truncated && !tcp;
    if (cut) found.clear();
    std::uint16_t flags = 0x8180;
    if (cut) flags |= 0x0200;
    if (mood == Mood::server_failure) {
      flags |= 2;
    } else if (entry == names_.end()) {
      flags |= 3;
    }
    ByteVector out(4096);
    Writer writer(out);
    writer.u16(id);
    writer.u16(flags);
    writer.u16(1);
    writer.u16(static_cast<std::uint16_t>(found.size()));
    writer.u32(0);
    writer.bytes(question);
    for (const IpAddress& address : found) {
      writer.u16(0xc00c);
      writer.u16(type);
      writer.u16(1);
      writer.u32(keep_seconds);
      writer.u16(static_cast<std::uint16_t>(address.bytes().size()));
      writer.bytes(address.bytes());
    }
    out.resize(writer.written());
    return out;
  }

  std::unique_ptr<driver::UdpSocket> udp_;
  std::unique_ptr<driver::TcpListener> tcp_;
  std::vector<std::unique_ptr<TcpClient>> clients_;
  std::map<std::string, std::vector<IpAddress>> names_;
};

}  // namespace karst::platform
