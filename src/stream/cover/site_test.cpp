#include "stream/cover/site.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/prng.h"
#include "stream/websocket/handshake.h"

namespace karst::stream::cover {
namespace {

using Ending = Exchange::Ending;
using Action = Backend::Action;

constexpr ConnectionKey kClient{7};

class SiteTest : public testing::Test {
 protected:
  static Request request(std::string_view method, std::string_view path) {
    Request made;
    made.method = method;
    made.scheme = "https";
    made.authority = "a";
    made.path = path;
    made.client = "192.0.2.7";
    return made;
  }
  static Request socket_request(std::string_view path) {
    Request made = request("CONNECT", path);
    made.protocol = "websocket";
    made.headers.put("sec-websocket-version", "13");
    return made;
  }
  std::unique_ptr<Exchange> begin(Site& site, Request made, ConnectionKey key = kClient) {
    const bool ends = !made.has_body && made.protocol.empty();
    auto exchange = site.begin(std::move(made), key, moment_);
    if (ends) exchange->input_end(moment_);
    return exchange;
  }
  int status(Exchange& exchange) {
    const auto response = exchange.poll_response(moment_);
    return response ? response->status : 0;
  }
  std::string taken(Exchange& exchange) {
    std::string all;
    while (!exchange.output().empty()) {
      all += as_text(exchange.output());
      exchange.consume(exchange.output().size(), moment_);
    }
    return all;
  }

  void wait_until_due(Exchange& exchange) {
    ASSERT_TRUE(exchange.next_deadline());
    moment_.now = *exchange.next_deadline();
    exchange.handle_deadline(moment_);
  }

  Moment moment_{TimePoint(1000s), {784'111'777}};
};

class OverFiles : public SiteTest {
 protected:
  static FileTree files() {
    FileTree tree;
    tree["/index.html"] = {to_vector(as_bytes("front")), {1}};
    return tree;
  }
  Site site_{files(), "/live"};
};

TEST_F(OverFiles, a_page_is_given_at_once_and_whole) {
  const auto exchange = begin(site_, request("GET", "/"));
  EXPECT_TRUE(exchange->output().empty());
  EXPECT_EQ(status(*exchange), 200);
  EXPECT_EQ(status(*exchange), 0);
  EXPECT_EQ(exchange->ending(), Ending::complete);
  EXPECT_EQ(taken(*exchange), "front");
  EXPECT_EQ(site_.backend(), nullptr);
}

TEST_F(OverFiles, what_is_wrong_in_itself_is_refused_before_anything_else) {
  Request oversized = request("GET", "/");
  oversized.oversized = true;
  Request with_body = request("POST", "/");
  with_body.has_body = true;
  with_body.headers.put("content-length", std::to_string(kBodyBytesMax + 1));
  const std::string longest(kTargetBytesMax - 1, 'x');
  EXPECT_EQ(status(*begin(site_, oversized)), 431);
  EXPECT_EQ(status(*begin(site_, with_body)), 413);
  EXPECT_EQ(status(*begin(site_, request("GET", "/" + longest))), 404);
  EXPECT_EQ(status(*begin(site_, request("GET", "/x" + longest))), 414);
  EXPECT_EQ(status(*begin(site_, request("GET", "/ x"))), 400);
  EXPECT_EQ(status(*begin(site_, request("GET", "/?\r\nx"))), 400);
}

TEST_F(OverFiles, the_socket_is_where_it_was_said_to_be_and_nowhere_else) {
  const auto socket = begin(site_, socket_request("/live?x"));
  const auto response = socket->poll_response(moment_);
  ASSERT_TRUE(response);
  EXPECT_TRUE(response->is_socket);
  EXPECT_FALSE(socket->output().empty());
  EXPECT_EQ(socket->ending(), Ending::open);
  EXPECT_EQ(status(*begin(site_, socket_request("/"))), 405);
  EXPECT_EQ(status(*begin(site_, socket_request("/live/x"))), 405);
  Request other = socket_request("/live");
  other.protocol = "connect-udp";
  EXPECT_EQ(status(*begin(site_, other)), 400);
  EXPECT_EQ(status(*begin(site_, request("GET", "/live"))), 400);
}

TEST_F(OverFiles, a_socket_of_another_version_is_refused_with_ours) {
  for (const char* const version : {"", "8", "13, 8"}) {
    Request other = request("CONNECT", "/live");
    other.protocol = "websocket";
    if (*version != '\0') other.headers.put("sec-websocket-version", version);
    const auto response = begin(site_, other)->poll_response(moment_);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 400) << version;
    EXPECT_EQ(response->headers.find("sec-websocket-version"), "13") << version;
  }
}

TEST_F(OverFiles, a_client_that_takes_nothing_for_a_minute_is_broken_off) {
  const auto exchange = begin(site_, request("GET", "/"));
  EXPECT_EQ(exchange->next_deadline(), std::nullopt);
  status(*exchange);
  moment_.now += 50s;
  exchange->consume(1, moment_);
  wait_until_due(*exchange);
  EXPECT_EQ(moment_.now, TimePoint(1110s));
  EXPECT_EQ(exchange->ending(), Ending::broken);
  EXPECT_EQ(exchange->next_deadline(), std::nullopt);
  const auto whole = begin(site_, request("GET", "/"));
  status(*whole);
  taken(*whole);
  EXPECT_EQ(whole->next_deadline(), std::nullopt);
}

TEST_F(OverFiles, the_fifth_request_of_a_connection_waits_for_one_to_be_done) {
  std::vector<std::unique_ptr<Exchange>> held;
  for (std::size_t i = 0; i < kExchangesPerConnectionMax; ++i) {
    held.push_back(begin(site_, request("GET", "/")));
    EXPECT_EQ(status(*held.back()), 200);
  }
  const auto fifth = begin(site_, request("GET", "/"));
  EXPECT_EQ(status(*fifth), 0);
  EXPECT_EQ(fifth->ending(), Ending::open);
  EXPECT_EQ(status(*begin(site_, request("GET", "/"), ConnectionKey{8})), 200);
  EXPECT_EQ(site_.poll_ready(), std::nullopt);
  held.pop_back();
  EXPECT_EQ(site_.poll_ready(), kClient);
  EXPECT_EQ(status(*fifth), 200);
}

TEST_F(OverFiles, a_request_with_a_body_that_had_to_wait_is_woken_again_to_send_it) {
  std::vector<std::unique_ptr<Exchange>> held;
  for (std::size_t i = 0; i < kExchangesPerConnectionMax; ++i) {
    held.push_back(begin(site_, request("GET", "/")));
  }
  Request with_body = request("POST", "/");
  with_body.has_body = true;
  const auto waiting = begin(site_, with_body);
  EXPECT_EQ(waiting->input_room(), 0u);
  held.clear();
  ASSERT_EQ(site_.poll_ready(), kClient);
  status(*waiting);
  EXPECT_GT(waiting->input_room(), 0u);
  EXPECT_EQ(site_.poll_ready(), kClient);
}

TEST_F(OverFiles, open_sockets_and_slow_readers_hold_nobody_up) {
  std::vector<std::unique_ptr<Exchange>> held;
  for (std::uint64_t i = 0; i < 2 * kExchangesPerProcessMax; ++i) {
    held.push_back(begin(site_, socket_request("/live")));
    EXPECT_EQ(status(*held.back()), 101);
    held.push_back(begin(site_, request("GET", "/"), ConnectionKey{100 + i}));
    EXPECT_EQ(status(*held.back()), 200);
  }
  EXPECT_EQ(status(*begin(site_, request("GET", "/"))), 200);
}

class OverBackend : public SiteTest {
 protected:
  BackendId opened() {
    std::optional<Action> action = site_.backend()->poll_action();
    while (action && action->kind == Action::Kind::close) action = site_.backend()->poll_action();
    CHECK(action);
    site_.backend()->opened(action->id, moment_);
    return action->id;
  }
  std::string to_backend(BackendId id) {
    std::string all;
    ByteVector space(1000);
    while (const auto count = site_.backend()->poll_output(id, space, moment_)) {
      all += as_text(Bytes(space).first(*count));
    }
    return all;
  }
  void from_backend(BackendId id, std::string_view text) {
    site_.backend()->received(id, as_bytes(text), moment_);
  }
  bool is_ready() {
    bool is = false;
    while (const auto key = site_.poll_ready()) is = is || key == kClient;
    return is;
  }
  Request post(std::optional<std::size_t> length) {
    Request made = request("POST", "/p");
    made.has_body = true;
    if (length) made.headers.put("content-length", std::to_string(*length));
    return made;
  }
  static constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";

  SeededEntropy entropy_{1};
  Site site_{Site::BackendOptions{"127.0.0.1:8080"}, "/chat", entropy_};
};

TEST_F(OverBackend, a_request_goes_there_and_the_answer_comes_back) {
  const auto exchange = begin(site_, request("GET", "/x"));
  const BackendId id = opened();
  EXPECT_TRUE(to_backend(id).starts_with("GET /x HTTP/1.1\r\nHost: a\r\n"));
  is_ready();
  from_backend(id, std::string(kOk) + "hel");
  EXPECT_TRUE(is_ready());
  EXPECT_EQ(status(*exchange), 200);
  EXPECT_EQ(exchange->ending(), Ending::open);
  EXPECT_EQ(taken(*exchange), "hel");
  from_backend(id, "lo");
  EXPECT_EQ(exchange->ending(), Ending::complete);
  EXPECT_EQ(taken(*exchange), "lo");
}

TEST_F(OverBackend, the_connection_is_closed_with_its_request_and_its_id_means_nothing_any_more) {
  auto exchange = begin(site_, request("GET", "/"));
  const BackendId id = opened();
  exchange.reset();
  const auto action = site_.backend()->poll_action();
  ASSERT_TRUE(action);
  EXPECT_EQ(action->kind, Action::Kind::close);
  EXPECT_EQ(action->id, id);
  is_ready();
  from_backend(id, kOk);
  site_.backend()->ended(id, moment_);
  site_.backend()->failed(id, moment_);
  EXPECT_EQ(site_.backend()->read_room(id), 0u);
  EXPECT_EQ(to_backend(id), "");
  EXPECT_FALSE(is_ready());
}

TEST_F(OverBackend, a_request_given_up_before_it_was_asked_for_asks_for_nothing) {
  begin(site_, request("GET", "/"));
  EXPECT_EQ(site_.backend()->poll_action(), std::nullopt);
}

TEST_F(OverBackend, a_backend_that_is_down_or_speaks_nonsense_is_a_bad_gateway) {
  const auto refused = begin(site_, request("GET", "/"));
  site_.backend()->failed(site_.backend()->poll_action()->id, moment_);
  EXPECT_TRUE(is_ready());
  EXPECT_EQ(status(*refused), 502);
  EXPECT_EQ(refused->ending(), Ending::complete);

  const auto garbage = begin(site_, request("GET", "/"));
  from_backend(opened(), "SSH-2.0-OpenSSH\r\n");
  EXPECT_EQ(status(*garbage), 502);

  const auto silent = begin(site_, request("GET", "/"));
  site_.backend()->ended(opened(), moment_);
  EXPECT_EQ(status(*silent), 502);

  const auto reset = begin(site_, request("GET", "/"));
  const BackendId id = opened();
  from_backend(id, "HTTP/1.1 200 OK\r\n");
  site_.backend()->failed(id, moment_);
  EXPECT_EQ(status(*reset), 502);
}

TEST_F(OverBackend, an_answer_cut_short_is_broken_off_and_not_passed_for_whole) {
  const auto exchange = begin(site_, request("GET", "/"));
  const BackendId id = opened();
  from_backend(id, std::string(kOk) + "hel");
  EXPECT_EQ(status(*exchange), 200);
  site_.backend()->ended(id, moment_);
  EXPECT_EQ(exchange->ending(), Ending::broken);
}

TEST_F(OverBackend, a_reset_behind_a_whole_answer_does_not_matter) {
  const auto exchange = begin(site_, request("GET", "/"));
  const BackendId id = opened();
  from_backend(id, std::string(kOk) + "hello");
  site_.backend()->failed(id, moment_);
  EXPECT_EQ(status(*exchange), 200);
  EXPECT_EQ(taken(*exchange), "hello");
  EXPECT_EQ(exchange->ending(), Ending::complete);
}

TEST_F(OverBackend, a_backend_without_an_answer_is_waited_for_a_minute) {
  const auto unconnected = begin(site_, request("GET", "/"));
  wait_until_due(*unconnected);
  EXPECT_EQ(moment_.now, TimePoint(1060s));
  EXPECT_EQ(status(*unconnected), 504);

  const auto unanswered = begin(site_, request("GET", "/"));
  site_.backend()->poll_action();
  opened();
  wait_until_due(*unanswered);
  EXPECT_EQ(status(*unanswered), 504);
  taken(*unanswered);
  EXPECT_EQ(unanswered->ending(), Ending::complete);
  EXPECT_EQ(unanswered->next_deadline(), std::nullopt);
}

TEST_F(OverBackend, a_backend_that_stops_in_the_middle_is_broken_off_after_a_minute) {
  const auto exchange = begin(site_, request("GET", "/"));
  const BackendId id = opened();
  from_backend(id, std::string(kOk) + "hel");
  EXPECT_EQ(status(*exchange), 200);
  moment_.now += 30s;
  from_backend(id, "l");
  wait_until_due(*exchange);
  EXPECT_EQ(moment_.now, TimePoint(1090s));
  EXPECT_EQ(exchange->ending(), Ending::broken);
}

TEST_F(OverBackend, a_client_that_takes_or_sends_nothing_for_a_minute_is_waited_for_no_longer) {
  const auto reader = begin(site_, request("GET", "/"));
  from_backend(opened(), std::string(kOk) + "hello");
  const auto writer = begin(site_, post(5));
  const BackendId id = opened();
  EXPECT_EQ(status(*reader), 200);
  to_backend(id);
  moment_.now += 50s;
  reader->consume(1, moment_);
  writer->input(as_bytes("h"), moment_);
  to_backend(id);
  wait_until_due(*reader);
  EXPECT_EQ(moment_.now, TimePoint(1110s));
  EXPECT_EQ(reader->ending(), Ending::broken);
  wait_until_due(*writer);
  EXPECT_EQ(moment_.now, TimePoint(1110s));
  EXPECT_EQ(status(*writer), 408);
}

TEST_F(OverBackend, a_body_goes_there_framed_as_it_was_announced) {
  const auto with_length = begin(site_, post(5));
  const BackendId first = opened();
  to_backend(first);
  with_length->input(as_bytes("hel"), moment_);
  with_length->input(as_bytes("lo and more"), moment_);
  with_length->input_end(moment_);
  EXPECT_EQ(to_backend(first), "hello");

  const auto without = begin(site_, post(std::nullopt));
  const BackendId second = opened();
  to_backend(second);
  without->input(as_bytes("hello"), moment_);
  without->input(as_bytes(std::string(16, 'x')), moment_);
  without->input_end(moment_);
  EXPECT_EQ(to_backend(second), "5\r\nhello\r\n10\r\n" + std::string(16, 'x') + "\r\n0\r\n\r\n");
}

TEST_F(OverBackend, a_body_that_ends_early_is_a_bad_request) {
  const auto exchange = begin(site_, post(5));
  opened();
  exchange->input(as_bytes("hel"), moment_);
  exchange->input_end(moment_);
  EXPECT_EQ(status(*exchange), 400);
}

TEST_F(OverBackend, a_body_is_taken_only_as_fast_as_the_backend_reads) {
  const auto exchange = begin(site_, post(std::nullopt));
  const BackendId id = opened();
  std::size_t sent = 0;
  while (const std::size_t room = exchange->input_room()) {
    exchange->input(ByteVector(std::min<std::size_t>(room, 1000), 'x'), moment_);
    ASSERT_LE(sent += std::min<std::size_t>(room, 1000), kRelayBytesMax);
  }
  is_ready();
  EXPECT_LE(to_backend(id).size(), kRelayBytesMax + 64);
  EXPECT_TRUE(is_ready());
  EXPECT_GT(exchange->input_room(), 0u);
}

TEST_F(OverBackend, an_answer_is_read_only_as_fast_as_the_client_takes_it) {
  const auto exchange = begin(site_, request("GET", "/"));
  const BackendId id = opened();
  from_backend(id, "HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(status(*exchange), 200);
  std::size_t sent = 0;
  while (const std::size_t room = site_.backend()->read_room(id)) {
    const std::size_t count = std::min<std::size_t>(room, 10'000);
    from_backend(id, std::string(count, 'x'));
    sent += count;
  }
  EXPECT_EQ(sent, kRelayBytesMax);
  exchange->consume(10, moment_);
  EXPECT_EQ(site_.backend()->read_room(id), 10u);
}

TEST_F(OverBackend, a_body_at_the_limit_is_relayed_and_one_above_is_too_large) {
  for (std::uint64_t size : {kBodyBytesMax - 1, kBodyBytesMax, kBodyBytesMax + 1}) {
    const auto exchange = begin(site_, post(std::nullopt));
    const BackendId id = opened();
    for (std::uint64_t sent = 0; sent < size;) {
      const auto count = std::min<std::uint64_t>(exchange->input_room(), size - sent);
      exchange->input(ByteVector(count, 'x'), moment_);
      sent += count;
      to_backend(id);
    }
    exchange->input_end(moment_);
    EXPECT_EQ(status(*exchange), size <= kBodyBytesMax ? 0 : 413) << size;
    if (size > kBodyBytesMax) {
      EXPECT_EQ(site_.backend()->poll_action()->kind, Action::Kind::close);
      exchange->input(ByteVector(10, 'x'), moment_);
      EXPECT_EQ(exchange->ending(), Ending::complete);
    }
  }
}

TEST_F(OverBackend, a_body_above_the_limit_behind_the_answers_head_breaks_it_off) {
  const auto exchange = begin(site_, post(std::nullopt));
  from_backend(opened(), kOk);
  EXPECT_EQ(status(*exchange), 200);
  for (std::uint64_t sent = 0; sent <= kBodyBytesMax; sent += 10'000) {
    exchange->input(ByteVector(10'000, 'x'), moment_);
  }
  EXPECT_EQ(exchange->ending(), Ending::broken);
}

TEST_F(OverBackend, the_thirty_third_request_waits_for_an_answer_to_begin) {
  std::vector<std::unique_ptr<Exchange>> held;
  std::vector<BackendId> ids;
  for (std::uint64_t i = 0; i < kExchangesPerProcessMax; ++i) {
    held.push_back(begin(site_, request("GET", "/"), ConnectionKey{100 + i}));
    ids.push_back(opened());
  }
  const auto next = begin(site_, request("GET", "/"));
  EXPECT_EQ(site_.backend()->poll_action(), std::nullopt);
  EXPECT_EQ(next->next_deadline(), std::nullopt);
  from_backend(ids[3], kOk);
  EXPECT_EQ(status(*held[3]), 200);
  EXPECT_TRUE(is_ready());
  EXPECT_EQ(status(*next), 0);
  from_backend(opened(), kOk);
  EXPECT_EQ(status(*next), 200);
}

TEST_F(OverBackend, slow_senders_hold_nobody_up) {
  std::vector<std::unique_ptr<Exchange>> held;
  for (std::uint64_t i = 0; i < 2 * kExchangesPerProcessMax; ++i) {
    held.push_back(begin(site_, post(100), ConnectionKey{100 + i}));
    opened();
  }
  begin(site_, request("GET", "/"));
}

TEST_F(OverBackend, what_is_no_request_for_a_backend_is_refused_here) {
  EXPECT_EQ(status(*begin(site_, request("TRACE", "/"))), 405);
  EXPECT_EQ(status(*begin(site_, request("CONNECT", "/"))), 405);
  EXPECT_EQ(status(*begin(site_, socket_request("/elsewhere"))), 405);
  EXPECT_EQ(status(*begin(site_, request("GET", "x"))), 400);
  EXPECT_EQ(site_.backend()->poll_action(), std::nullopt);
}

class OverBackendSocket : public OverBackend {
 protected:
  OverBackendSocket() : exchange_(begin(site_, socket_request("/chat"))), id_(opened()) {
    const std::string head = to_backend(id_);
    const std::string_view name = "Sec-WebSocket-Key: ";
    const std::size_t at = head.find(name) + name.size();
    key_ = head.substr(at, head.find("\r\n", at) - at);
  }
  void accept() {
    from_backend(id_,
                 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                 "Sec-WebSocket-Accept: " +
                     websocket::accept_key(key_) + "\r\n\r\n");
  }

  std::unique_ptr<Exchange> exchange_;
  BackendId id_;
  std::string key_;
};

TEST_F(OverBackendSocket, bytes_go_both_ways_as_they_are) {
  EXPECT_EQ(key_.size(), 24u);
  accept();
  const auto response = exchange_->poll_response(moment_);
  ASSERT_TRUE(response);
  EXPECT_TRUE(response->is_socket);
  exchange_->input(as_bytes("up"), moment_);
  EXPECT_EQ(to_backend(id_), "up");
  from_backend(id_, "down");
  EXPECT_EQ(taken(*exchange_), "down");
  EXPECT_EQ(exchange_->ending(), Ending::open);
  site_.backend()->ended(id_, moment_);
  EXPECT_EQ(exchange_->ending(), Ending::complete);
}

TEST_F(OverBackendSocket, nothing_is_sent_before_the_backend_has_agreed) {
  EXPECT_EQ(exchange_->input_room(), 0u);
  is_ready();
  accept();
  EXPECT_TRUE(is_ready());
  EXPECT_GT(exchange_->input_room(), 0u);
}

TEST_F(OverBackendSocket, what_goes_through_it_has_no_limit) {
  accept();
  status(*exchange_);
  for (std::uint64_t sent = 0; sent <= kBodyBytesMax; sent += 10'000) {
    exchange_->input(ByteVector(10'000, 'x'), moment_);
    from_backend(id_, std::string(10'000, 'y'));
    EXPECT_EQ(to_backend(id_).size(), 10'000u);
    EXPECT_EQ(taken(*exchange_).size(), 10'000u);
  }
  EXPECT_EQ(exchange_->ending(), Ending::open);
}

TEST_F(OverBackendSocket, the_end_of_the_client_is_the_end) {
  accept();
  status(*exchange_);
  from_backend(id_, "last");
  exchange_->input_end(moment_);
  EXPECT_EQ(exchange_->ending(), Ending::complete);
  EXPECT_EQ(taken(*exchange_), "last");
}

TEST_F(OverBackendSocket, the_end_of_the_client_before_the_answer_breaks_off) {
  exchange_->input_end(moment_);
  EXPECT_EQ(exchange_->ending(), Ending::broken);
}

TEST_F(OverBackendSocket, a_refusal_is_an_answer_like_any_other) {
  from_backend(id_, "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
  const auto response = exchange_->poll_response(moment_);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 403);
  EXPECT_FALSE(response->is_socket);
  EXPECT_EQ(taken(*exchange_), "no");
  EXPECT_EQ(exchange_->ending(), Ending::complete);
}

TEST_F(OverBackendSocket, silence_of_both_sides_ends_it_after_ten_minutes) {
  accept();
  status(*exchange_);
  moment_.now += 300s;
  exchange_->input(as_bytes("up"), moment_);
  wait_until_due(*exchange_);
  EXPECT_EQ(moment_.now, TimePoint(1900s));
  EXPECT_EQ(exchange_->ending(), Ending::broken);
}

}  // namespace
}  // namespace karst::stream::cover
