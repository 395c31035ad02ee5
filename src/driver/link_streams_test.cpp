#include "driver/link_streams.h"

#include <gtest/gtest.h>

#include "driver/ports_for_test.h"
#include "stream/mux/test_pair.h"

namespace karst::driver {
namespace {

using namespace std::chrono_literals;
using stream::mux::Wait;

TEST(LinkStreams, a_stream_of_a_link_that_was_quiet_has_waited_for_nothing_yet) {
  stream::mux::Pair link;
  FakePorts ports;
  LinkStreams streams(link.client, ports, [] {});
  ports.pass(8h);
  const StreamId stream = *streams.mux().open({wire::Target{std::string("example.org"), 80}});
  const auto waits = link.client.status(stream)->waits.total(ports.now());
  EXPECT_EQ(waits[static_cast<std::size_t>(Wait::application)], 0s);
  EXPECT_EQ(waits[static_cast<std::size_t>(Wait::link)], 0s);
}

}  // namespace
}  // namespace karst::driver
