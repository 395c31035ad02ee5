#include "platform/linux/lingering.h"

#include "platform/linux/tcp_stream.h"
#include "platform/linux/test_support.h"

namespace karst::platform {
namespace {

class LingeringTest : public LoopTest {
 protected:
  // Connects `count` times with streams of ours that go to `lingering` when they are destroyed.
  void connect(const LingerLimits& limits, std::size_t count) {
    lingering.emplace(loop.reactor(), limits);
    listener = std::move(*loop.listen(loopback()));
    listener->set_handler(accepted);
    for (std::size_t i = 0; i < count; ++i) {
      auto& stream = *near.emplace_back(std::make_unique<Conversation>());
      stream.use(std::move(*connect_tcp(*lingering, listener->local())));
      until([&] { return stream.connected && accepted.streams.size() == i + 1; });
    }
  }
  // Whether the other side's writing ends in a reset: its input found a closed socket.
  bool is_closed(std::size_t i) {
    Conversation& far = *accepted.streams[i];
    far.stream->set_interest(driver::Interest::none);
    return !far.write("x").ok();
  }

  std::optional<Lingering> lingering;
  Accepted accepted;
  std::unique_ptr<driver::TcpListener> listener;
  std::vector<std::unique_ptr<Conversation>> near;
};

TEST_F(LingeringTest, waits_for_the_end_of_the_other_side) {
  connect({}, 1);
  near.clear();
  until([&] { return accepted.streams[0]->ended; });
  ASSERT_TRUE(accepted.streams[0]->write("late").ok());
  turns(3);
  EXPECT_EQ(lingering->size(), 1u);
  accepted.streams[0]->stream->shutdown_write();
  until([&] { return lingering->size() == 0; });
}

TEST_F(LingeringTest, does_not_take_a_stream_whose_other_side_has_ended) {
  connect({}, 1);
  accepted.streams[0]->stream->shutdown_write();
  until([&] { return near[0]->ended; });
  near.clear();
  EXPECT_EQ(lingering->size(), 0u);
  until([&] { return accepted.streams[0]->ended; });
}

TEST_F(LingeringTest, does_not_take_an_aborted_stream) {
  connect({}, 1);
  near[0]->stream->abort_on_close();
  near.clear();
  EXPECT_EQ(lingering->size(), 0u);
}

TEST_F(LingeringTest, closes_when_its_time_is_over) {
  connect({.time = 20ms}, 1);
  const TimePoint began = loop.now();
  near.clear();
  until([&] { return lingering->size() == 0; });
  EXPECT_GE(loop.now() - began, 20ms);
}

TEST_F(LingeringTest, closes_at_the_last_byte_that_it_may_discard) {
  connect({.bytes = 1000}, 1);
  near.clear();
  ASSERT_TRUE(accepted.streams[0]->write(std::string(999, 'x')).ok());
  turns(5);
  EXPECT_EQ(lingering->size(), 1u);
  ASSERT_TRUE(accepted.streams[0]->write("x").ok());
  until([&] { return lingering->size() == 0; });
}

TEST_F(LingeringTest, of_too_many_the_oldest_closes) {
  connect({.connections = 2}, 3);
  near[0].reset();
  near[1].reset();
  EXPECT_EQ(lingering->size(), 2u);
  near[2].reset();
  EXPECT_EQ(lingering->size(), 2u);
  until([&] {
    turn();
    return is_closed(0);
  });
  EXPECT_FALSE(is_closed(1));
  EXPECT_FALSE(is_closed(2));
}

}  // namespace
}  // namespace karst::platform
