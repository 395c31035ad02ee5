#include "platform/linux/control_server.h"

#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "platform/linux/control_client.h"
#include "platform/linux/temporary_folder_for_test.h"
#include "platform/linux/test_support.h"
#include "platform/linux/unix_socket.h"

namespace karst::platform {
namespace {

class ControlTest : public LoopTest {
 protected:
  void serve(ControlHandler handler, const ControlLimits& limits = {}) {
    server = std::move(*ControlServer::listen(loop.reactor(), path, std::move(handler), limits));
  }
  void serve_echo(const ControlLimits& limits = {}) {
    serve([](std::string_view request,
             ControlReply reply) { reply("you said " + std::string(request)); },
          limits);
  }
  // Runs the loop while `work` runs on a thread of its own.
  template <class Work>
  void beside_the_loop(Work work) {
    std::thread client([&] {
      work();
      loop.stop();
    });
    loop.run();
    client.join();
  }
  // Sends raw bytes and returns whether the server has then hung up.
  bool hangs_up_on(std::string_view bytes) {
    const UniqueFd fd = std::move(*connect_unix(path));
    EXPECT_EQ(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    turns(5);
    char space[1];
    return ::recv(fd.get(), space, 1, MSG_DONTWAIT) == 0;
  }

  TemporaryFolder folder;
  std::string path = folder.file("control");
  std::unique_ptr<ControlServer> server;
};

std::string framed(std::string_view text) {
  return std::string(as_text(control_header(text.size()))) + std::string(text);
}

TEST_F(ControlTest, answers_one_request_after_another) {
  serve_echo();
  EXPECT_EQ(folder.mode("control"), 0600u);
  beside_the_loop([&] {
    auto client = std::move(*ControlClient::connect(path, 20s));
    EXPECT_EQ(client.ask("hello").value(), "you said hello");
    EXPECT_EQ(client.ask("").value(), "you said ");
  });
}

TEST_F(ControlTest, large_messages_pass_up_to_the_limit) {
  const std::string large(kControlReplyBytesMax, 'r');
  serve([&](std::string_view, ControlReply reply) { reply(large); });
  beside_the_loop([&] {
    auto client = std::move(*ControlClient::connect(path, 20s));
    EXPECT_EQ(client.ask(std::string(kControlRequestBytesMax, 'q')).value(), large);
    const std::string too_long(kControlRequestBytesMax + 1, 'q');
    EXPECT_TRUE(client.ask(too_long).error().is(kControlTooLong));
  });
}

TEST_F(ControlTest, a_request_may_come_byte_by_byte) {
  serve_echo();
  const UniqueFd fd = std::move(*connect_unix(path));
  for (const char c : framed("slow")) {
    ASSERT_EQ(::send(fd.get(), &c, 1, MSG_NOSIGNAL), 1);
    turns(2);
  }
  char space[64];
  const ssize_t got = ::recv(fd.get(), space, sizeof space, 0);
  ASSERT_GT(got, 0);
  EXPECT_EQ(std::string_view(space, static_cast<std::size_t>(got)), framed("you said slow"));
}

TEST_F(ControlTest, hangs_up_on_too_long_a_request_and_on_two_at_once) {
  serve_echo({.request_time = 1h});
  EXPECT_TRUE(hangs_up_on(as_text(control_header(kControlRequestBytesMax + 1))));
  EXPECT_FALSE(hangs_up_on(as_text(control_header(kControlRequestBytesMax))));
  EXPECT_TRUE(hangs_up_on(framed("one") + "x"));
}

TEST_F(ControlTest, a_reply_may_come_later_and_to_a_client_that_has_gone) {
  std::vector<ControlReply> replies;
  serve([&](std::string_view, ControlReply reply) { replies.push_back(std::move(reply)); });
  {
    const UniqueFd gone = std::move(*connect_unix(path));
    ASSERT_GT(::send(gone.get(), framed("a").data(), 5, 0), 0);
    until([&] { return replies.size() == 1; });
  }
  const UniqueFd here = std::move(*connect_unix(path));
  ASSERT_GT(::send(here.get(), framed("b").data(), 5, 0), 0);
  until([&] { return replies.size() == 2; });
  for (auto& reply : replies) reply("late");
  turns(3);
  char space[64];
  EXPECT_EQ(::recv(here.get(), space, sizeof space, 0), 8);
}

TEST_F(ControlTest, a_reply_that_is_dropped_hangs_up_and_one_that_outlives_the_server_is_nothing) {
  std::optional<ControlReply> kept;
  serve([&](std::string_view request, ControlReply reply) {
    if (request == "keep") kept = std::move(reply);
  });
  EXPECT_TRUE(hangs_up_on(framed("drop")));
  EXPECT_FALSE(hangs_up_on(framed("keep")));
  server.reset();
  (*kept)("to nobody");
  EXPECT_EQ(folder.names(), std::vector<std::string>{}) << "the socket file went with the server";
}

TEST_F(ControlTest, a_client_that_does_not_finish_its_request_loses_patience) {
  serve_echo({.connections = 1, .request_time = 20ms});
  const UniqueFd fd = std::move(*connect_unix(path));
  ASSERT_EQ(::send(fd.get(), "\0", 1, 0), 1);
  char space[1];
  until([&] { return ::recv(fd.get(), space, 1, MSG_DONTWAIT) == 0; });
}

TEST_F(ControlTest, beyond_the_limit_the_longest_silent_connection_makes_room) {
  serve_echo({.connections = 2, .request_time = 1h});
  const UniqueFd first = std::move(*connect_unix(path));
  const UniqueFd second = std::move(*connect_unix(path));
  turns(5);
  EXPECT_FALSE(hangs_up_on("")) << "the newest gets in";
  char space[1];
  EXPECT_EQ(::recv(first.get(), space, 1, MSG_DONTWAIT), 0);
  EXPECT_LT(::recv(second.get(), space, 1, MSG_DONTWAIT), 0);
}

TEST_F(ControlTest, who_waits_for_an_answer_makes_no_room) {
  std::vector<ControlReply> replies;
  serve([&](std::string_view, ControlReply reply) { replies.push_back(std::move(reply)); },
        {.connections = 1});
  const UniqueFd asking = std::move(*connect_unix(path));
  ASSERT_GT(::send(asking.get(), framed("a").data(), 5, 0), 0);
  until([&] { return replies.size() == 1; });
  EXPECT_TRUE(hangs_up_on(""));
  replies[0]("late");
  turns(3);
  char space[64];
  EXPECT_EQ(::recv(asking.get(), space, sizeof space, 0), 8);
}

TEST_F(ControlTest, says_whether_no_daemon_runs_or_it_does_not_answer) {
  EXPECT_TRUE(ControlClient::connect(path, 1s).error().is(kDaemonNotRunning));
  serve([](std::string_view, ControlReply) {});
  beside_the_loop([&] {
    auto client = std::move(*ControlClient::connect(path, 20s));
    EXPECT_TRUE(client.ask("x").error().is(kDaemonHungUp));
  });
  auto silent = std::move(*ControlClient::connect(path, 20ms));
  EXPECT_TRUE(silent.ask("x").error().is(kDaemonSilent)) << "the loop does not run";
}

TEST_F(ControlTest, replaces_the_socket_of_a_dead_daemon_and_of_no_one_else) {
  {
    const UniqueFd dead = std::move(*listen_unix(path));
  }
  EXPECT_EQ(folder.names().size(), 1u);
  serve_echo();
  const auto second = ControlServer::listen(loop.reactor(), path, {});
  EXPECT_TRUE(second.error().is(driver::kAddressInUse));
  folder.put("file", "precious");
  const auto third = ControlServer::listen(loop.reactor(), folder.file("file"), {});
  EXPECT_TRUE(third.error().is(driver::kAddressInUse));
  EXPECT_EQ(folder.text("file"), "precious");
}

TEST_F(ControlTest, another_user_is_not_heard) {
  if (::geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  int heard = 0;
  serve([&](std::string_view, ControlReply reply) {
    ++heard;
    reply("secret");
  });
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const auto ask_as_other = [&] {
    return holds_in_child([&] {
      if (::setuid(12345) != 0) return false;
      auto client = ControlClient::connect(path, 20s);
      if (!client.ok()) return client.error().is(kDaemonForbids);
      return client->ask("x").error().is(kDaemonHungUp);
    });
  };
  beside_the_loop([&] { EXPECT_TRUE(ask_as_other()); });
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  beside_the_loop([&] { EXPECT_TRUE(ask_as_other()); });
  EXPECT_EQ(heard, 0);
}

}  // namespace
}  // namespace karst::platform
