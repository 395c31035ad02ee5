// A session of either role fed with frames of the input's making, between operations of its own
// caller. The visitor's order of events is legal, windows bound what is told, after an error there
// is one GOAWAY and silence, and without operations the cut of the input changes nothing.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

#include "base/check.h"
#include "base/reader.h"
#include "stream/http2/http2_pair.h"

namespace karst::stream::http2 {
namespace {

class OrderChecker final : public Recorder {
 public:
  explicit OrderChecker(bool is_server) : is_server_(is_server) {}

  void requested(StreamId id) { CHECK(stages_.emplace(id, Stage::waiting).second); }
  bool knows(StreamId id) const { return stages_.contains(id); }
  std::size_t held() const { return held_; }
  std::size_t take_held(StreamId id) {
    const std::size_t count = bodies[id].size();
    held_ -= count;
    bodies[id].clear();
    return count;
  }

  void on_request(StreamId id, RequestHead head) override {
    CHECK(is_server_ && stages_.emplace(id, Stage::body).second);
    CHECK(!head.method.empty() || head.oversized);
    Recorder::on_request(id, std::move(head));
  }
  void on_response(StreamId id, ResponseHead head) override {
    CHECK(!is_server_ && stages_.at(id) == Stage::waiting);
    CHECK(head.status >= 200 || head.oversized);
    stages_[id] = Stage::body;
    Recorder::on_response(id, std::move(head));
  }
  void on_data(StreamId id, Bytes bytes) override {
    CHECK(stages_.at(id) == Stage::body);
    held_ += bytes.size();
    Recorder::on_data(id, bytes);
  }
  void on_end(StreamId id) override {
    CHECK(stages_.at(id) == Stage::body);
    stages_[id] = Stage::ended;
    Recorder::on_end(id);
  }
  void on_closed(StreamId id, std::uint32_t code) override {
    CHECK(stages_.erase(id) == 1);
    Recorder::on_closed(id, code);
  }

 private:
  enum class Stage : std::uint8_t { waiting, body, ended };
  bool is_server_;
  std::map<StreamId, Stage> stages_;
  std::size_t held_ = 0;
};

struct Subject {
  explicit Subject(bool is_server) : saw(is_server) {
    if (is_server) {
      auto made = std::make_unique<ServerSession>(ServerSettings{}, saw);
      server = made.get();
      session = std::move(made);
      (void)session->feed(as_bytes(kPreface));
    } else {
      auto made = std::make_unique<ClientSession>(ClientSettings{}, saw);
      client = made.get();
      session = std::move(made);
    }
    (void)session->feed(make_frame(kSettings, 0, 0, ByteVector{0, 8, 0, 0, 0, 1}));
    poll_all(*session);
    (void)session->feed(make_frame(kSettings, kAck, 0, {}));
    if (client != nullptr) {
      request(get_request());
      request(connect_request());
    }
  }
  void request(const RequestHead& head) {
    const auto id = client->request(head, head.protocol.empty() ? nullptr : &body);
    if (id.ok()) saw.requested(*id);
  }

  OrderChecker saw;
  MessageQueue body;
  std::map<StreamId, MessageQueue> answers;
  ServerSession* server = nullptr;
  ClientSession* client = nullptr;
  std::unique_ptr<Session> session;
};

void expect_silence(Subject& subject) {
  poll_all(*subject.session);
  CHECK(subject.session->finished());
  (void)subject.session->feed(make_frame(kPing, 0, 0, ByteVector(8)));
  CHECK(poll_all(*subject.session).empty());
}

// One operation of the caller on a stream.
void operate(Subject& subject, std::uint8_t operation, StreamId id) {
  Session& session = *subject.session;
  switch (operation % 8) {
    case 0:
      poll_all(session);
      break;
    case 1:
      session.consume(id, subject.saw.take_held(id));
      break;
    case 2:
      if (subject.server != nullptr && !subject.answers.contains(id) && subject.saw.knows(id)) {
        MessageQueue& answer = subject.answers[id];
        answer.push(ByteVector(1000));
        if ((operation & 8) != 0) answer.finish();
        subject.server->respond(id, {200, {{"a", "b"}}}, &answer);
      }
      break;
    case 3:
      session.reset(id, kCancel);
      break;
    case 4:
      session.set_local_window(id, operation * 1000);
      break;
    case 5:
      subject.body.push(ByteVector(operation * 300u));
      session.resume(id);
      break;
    case 6:
      if (subject.client != nullptr) subject.request(get_request());
      break;
    default:
      if (operation == 0xff) session.close(kNoError);
  }
}

// The input is a list: operation, or a frame (type, flags, stream, length) with its payload.
void run_operations(Subject& subject, Bytes input) {
  Reader reader(input);
  while (reader.remaining() > 0) {
    const std::uint8_t operation = reader.u8();
    const StreamId id = reader.u8() % 16;
    if ((operation & 0x80) == 0) {
      const std::uint8_t flags = reader.u8();
      const Bytes payload = reader.bytes(std::min<std::size_t>(reader.u8(), reader.remaining()));
      (void)subject.session->feed(make_frame(operation % 12, flags, id, payload));
    } else {
      operate(subject, operation, id);
    }
    // Two streams' worth of growth by operation 4 at the most, besides the first windows.
    CHECK(subject.saw.held() <= 16u << 20);
    if (subject.session->error()) {
      expect_silence(subject);
      return;
    }
  }
  poll_all(*subject.session);
}

void compare_cuts(bool is_server, Bytes stream, std::size_t cut) {
  Subject whole(is_server);
  Subject parts(is_server);
  poll_all(*whole.session);
  poll_all(*parts.session);
  (void)whole.session->feed(stream);
  for (Bytes rest = stream; !rest.empty();) {
    const Bytes piece = rest.first(std::min(cut, rest.size()));
    (void)parts.session->feed(piece);
    rest = rest.subspan(piece.size());
  }
  CHECK(poll_all(*whole.session) == poll_all(*parts.session));
  CHECK(whole.saw.log == parts.saw.log);
  CHECK(whole.saw.bodies == parts.saw.bodies);
}

}  // namespace
}  // namespace karst::stream::http2

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::http2;
  if (size < 2) return 0;
  const bool is_server = (data[0] & 1) != 0;
  const karst::Bytes input(data + 2, size - 2);
  if ((data[0] & 2) != 0) {
    compare_cuts(is_server, input, 1 + data[1] % 64);
  } else {
    Subject subject(is_server);
    run_operations(subject, input);
  }
  return 0;
}
