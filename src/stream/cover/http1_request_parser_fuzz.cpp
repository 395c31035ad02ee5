#include <string>

#include "base/bytes.h"
#include "base/check.h"
#include "stream/cover/http1_request_parser.h"

namespace {

using namespace karst;
using namespace karst::stream::cover;

// Everything that was read, as one text.
class Transcript final : Http1RequestParser::BodySink {
 public:
  void read(Bytes input, std::size_t piece) {
    while (!input.empty() && !is_bad_) {
      Bytes next = input.first(std::min(piece, input.size()));
      input = input.subspan(next.size());
      while (!next.empty() && !is_bad_) {
        const std::size_t before = next.size();
        take(parser_.parse(next));
        CHECK(next.size() < before || is_bad_);
      }
    }
  }
  const std::string& text() const { return text_; }

 private:
  void on_body(Bytes bytes) override {
    CHECK(bytes.size() > 0);
    text_ += as_text(bytes);
  }
  void take(Http1RequestParser::Event event) {
    switch (event) {
      case Http1RequestParser::Event::none:
        break;
      case Http1RequestParser::Event::head: {
        const Http1RequestParser::Head head = parser_.take_head();
        CHECK(head.request.headers.size() <= kHeadersMax);
        CHECK(head.request.headers.count("host") == 0);
        CHECK(head.socket_key.empty() == head.request.protocol.empty());
        text_ += head.request.method + " " + head.request.authority + head.request.path + "\n";
        for (const Header& header : head.request.headers) {
          text_ += header.name + ":" + header.value + "\n";
        }
        break;
      }
      case Http1RequestParser::Event::end:
        text_ += "\nend\n";
        break;
      case Http1RequestParser::Event::bad:
        CHECK(parser_.status() >= 400);
        text_ += "bad " + std::to_string(parser_.status());
        is_bad_ = true;
        break;
    }
  }

  Http1RequestParser parser_{*this};
  std::string text_;
  bool is_bad_ = false;
};

}  // namespace

// However the bytes are cut, the same requests are read.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  Transcript whole;
  whole.read({data + 1, size - 1}, size);
  Transcript cut;
  cut.read({data + 1, size - 1}, data[0] % 32 + 1u);
  CHECK(whole.text() == cut.text());
  return 0;
}
