#include <algorithm>
#include <string>

#include "base/check.h"
#include "stream/proxy/entry.h"

// A client's bytes, cut differently, give the same requests and the same answers; and what an entry
// holds stays within its bounds.
namespace {

using namespace karst::stream::proxy;

std::string held(karst::ByteQueue& queue) {
  std::string out(queue.size(), '\0');
  queue.copy_out(0, {reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  return out;
}

// Everything an observer of the entry sees, as text.
std::string transcript(karst::Bytes input, std::size_t cut, OpenResult result) {
  EntryConfig config;
  Entry entry(config, karst::TimePoint(std::chrono::seconds(7)));
  while (!input.empty() && entry.client_room() > 0) {
    const auto part = input.first(std::min({input.size(), cut, entry.client_room()}));
    entry.handle_client(part);
    input = input.subspan(part.size());
    CHECK(entry.to_server().size() <= kPendingBytesMax + 2 * kHttpHeadBytesMax);
  }
  std::string out;
  while (const auto event = entry.poll_event()) {
    if (const auto* connect = std::get_if<ConnectRequest>(&*event)) {
      out += "connect " + connect->target.text() + "\n";
      entry.handle_result(result);
    } else if (std::holds_alternative<UdpAssociateRequest>(*event)) {
      out += "udp\n";
      entry.handle_result(result);
    } else {
      out += "failed " + std::string(std::get<EntryFailed>(*event).error.kind().name) + "\n";
    }
  }
  out += entry.closing() ? "closing\n" : "open\n";
  return out + held(entry.to_client()) + "\n" + held(entry.to_server());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const karst::Bytes input(data + 1, size - 1);
  const OpenResult result = data[0] & 1 ? OpenResult::ok : OpenResult::refused;
  const std::string whole = transcript(input, size, result);
  CHECK(transcript(input, 1, result) == whole);
  CHECK(transcript(input, 2 + data[0] / 2, result) == whole);
  return 0;
}
