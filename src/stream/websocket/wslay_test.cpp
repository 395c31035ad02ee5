// Our codec against wslay, an independent implementation: random messages in random fragments, cut
// at random, in both directions and roles.
#include <gtest/gtest.h>
#include <wslay/wslay.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "stream/websocket/decoder.h"
#include "stream/websocket/encoder.h"

namespace karst::stream::websocket {
namespace {

struct Told {
  std::uint8_t opcode;
  ByteVector payload;
  bool operator==(const Told&) const = default;
};

// wslay at one end of a stream: `in` is what it has yet to read, `out` what it has written.
class Oracle {
 public:
  Oracle(Role role, std::uint64_t seed) : prng_(seed) {
    wslay_event_callbacks callbacks{};
    callbacks.recv_callback = [](wslay_event_context_ptr context, std::uint8_t* space,
                                 std::size_t size, int, void* user) -> ssize_t {
      Bytes& in = static_cast<Oracle*>(user)->in_;
      if (in.empty()) {
        wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
        return -1;
      }
      const std::size_t part = std::min(size, in.size());
      copy_bytes({space, part}, in.first(part));
      in = in.subspan(part);
      return static_cast<ssize_t>(part);
    };
    callbacks.send_callback = [](wslay_event_context_ptr, const std::uint8_t* bytes,
                                 std::size_t size, int, void* user) -> ssize_t {
      ByteVector& written = static_cast<Oracle*>(user)->out;
      written.insert(written.end(), bytes, bytes + size);
      return static_cast<ssize_t>(size);
    };
    callbacks.genmask_callback = [](wslay_event_context_ptr, std::uint8_t* space, std::size_t size,
                                    void* user) {
      static_cast<Oracle*>(user)->prng_.fill({space, size});
      return 0;
    };
    callbacks.on_msg_recv_callback = [](wslay_event_context_ptr,
                                        const wslay_event_on_msg_recv_arg* message, void* user) {
      static_cast<Oracle*>(user)->received.push_back(
          {message->opcode, to_vector({message->msg, message->msg_length})});
    };
    const auto make =
        role == Role::client ? wslay_event_context_client_init : wslay_event_context_server_init;
    EXPECT_EQ(make(&context_, &callbacks, this), 0);
  }
  ~Oracle() { wslay_event_context_free(context_); }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  void read(Bytes bytes) {
    in_ = bytes;
    EXPECT_EQ(wslay_event_recv(context_), 0);
  }
  void write_whole(std::uint8_t opcode, Bytes payload) {
    const wslay_event_msg message{opcode, payload.data(), payload.size()};
    EXPECT_EQ(wslay_event_queue_msg(context_, &message), 0);
    EXPECT_EQ(wslay_event_send(context_), 0);
  }
  void write_in_fragments(std::uint8_t opcode, Bytes payload) {
    rest_ = payload;
    wslay_event_fragmented_msg message{};
    message.opcode = opcode;
    message.source.data = this;
    message.read_callback = [](wslay_event_context_ptr, std::uint8_t* space, std::size_t size,
                               const wslay_event_msg_source* source, int* end, void*) -> ssize_t {
      auto& self = *static_cast<Oracle*>(source->data);
      const std::size_t part = std::min({size, self.rest_.size(), self.prng_.below(3'000)});
      copy_bytes({space, part}, self.rest_.first(part));
      self.rest_ = self.rest_.subspan(part);
      *end = self.rest_.empty() ? 1 : 0;
      return static_cast<ssize_t>(part);
    };
    EXPECT_EQ(wslay_event_queue_fragmented_msg(context_, &message), 0);
    EXPECT_EQ(wslay_event_send(context_), 0);
  }

  ByteVector out;
  std::vector<Told> received;

 private:
  wslay_event_context_ptr context_ = nullptr;
  Prng prng_;
  Bytes in_;
  Bytes rest_;
};

Told random_message(Prng& prng) {
  static constexpr std::size_t kSizes[] = {0, 1, 124, 125, 126, 127, 4'000, 65'535, 65'536, 90'000};
  const std::size_t size = prng.chance(1, 2) ? kSizes[prng.below(std::size(kSizes))]
                                             : static_cast<std::size_t>(prng.below(20'000));
  Told message;
  switch (prng.below(4)) {
    case 0:
      message.opcode = WSLAY_PING;
      message.payload.resize(size % 126);
      break;
    case 1:
      message.opcode = WSLAY_TEXT_FRAME;
      message.payload.resize(size);
      break;
    default:
      message.opcode = WSLAY_BINARY_FRAME;
      message.payload.resize(size);
  }
  prng.fill(message.payload);
  if (message.opcode == WSLAY_TEXT_FRAME) {
    for (std::uint8_t& byte : message.payload) byte &= 0x7f;
  }
  return message;
}

class AgainstWslay : public testing::TestWithParam<Role> {
 protected:
  Role ours() const { return GetParam(); }
  Role its() const { return ours() == Role::client ? Role::server : Role::client; }
};

TEST_P(AgainstWslay, it_reads_what_we_write) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Prng prng(seed);
    Encoder encoder(ours(), Prng(seed + 100));
    std::vector<Told> sent;
    ByteVector stream;
    for (int i = 0; i < 20; ++i) {
      sent.push_back(random_message(prng));
      ByteVector frame(encoder.frame_bytes(sent.back().payload.size()));
      encoder.encode(static_cast<Opcode>(sent.back().opcode), sent.back().payload, frame);
      stream.insert(stream.end(), frame.begin(), frame.end());
    }
    Oracle oracle(its(), seed);
    for (Bytes rest = stream; !rest.empty();) {
      const std::size_t part = std::min<std::size_t>(rest.size(), 1 + prng.below(30'000));
      oracle.read(rest.first(part));
      rest = rest.subspan(part);
    }
    ASSERT_EQ(oracle.received, sent);
  }
}

TEST_P(AgainstWslay, we_read_what_it_writes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Prng prng(seed);
    Oracle oracle(its(), seed);
    std::vector<Told> sent;
    for (int i = 0; i < 20; ++i) {
      sent.push_back(random_message(prng));
      if (sent.back().opcode != WSLAY_PING && prng.chance(1, 2)) {
        oracle.write_in_fragments(sent.back().opcode, sent.back().payload);
      } else {
        oracle.write_whole(sent.back().opcode, sent.back().payload);
      }
    }
    Decoder decoder(ours());
    std::vector<Told> received;
    for (Bytes rest = oracle.out; !rest.empty();) {
      Bytes piece = rest.first(std::min<std::size_t>(rest.size(), 1 + prng.below(30'000)));
      rest = rest.subspan(piece.size());
      for (;;) {
        const auto message = decoder.decode(piece);
        ASSERT_TRUE(message.ok());
        if (!*message) break;
        received.push_back(
            {static_cast<std::uint8_t>((*message)->opcode), to_vector((*message)->payload)});
      }
    }
    ASSERT_EQ(received, sent);
  }
}

INSTANTIATE_TEST_SUITE_P(BothRoles, AgainstWslay, testing::Values(Role::client, Role::server),
                         [](const auto& role) {
                           return role.param == Role::client ? "as_client" : "as_server";
                         });

}  // namespace
}  // namespace karst::stream::websocket
