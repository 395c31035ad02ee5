// A sanitizer has its own operator delete: this test replaces it, so it belongs to the plain build
// only.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>

#include "app/control_request.h"
#include "app/invites.h"
#include "base/prng.h"
#include "crypto/freed_memory_for_test.h"

namespace karst::app {
namespace {

using crypto::found;
using crypto::watched;

constexpr std::size_t kWatchedBytes = 24;
constexpr UnixTime kNow{1'700'000'000};

// An invite of always the same secrets, on its way to a control socket and out of it again.
std::string issue_and_answer(std::size_t watch_from) {
  SeededEntropy entropy{1};
  keys::FrontSecrets front(keys::FrontSecret::random(entropy), 1);
  keys::ClientRegistry registry;
  const InviteRequest request{"alice", 3600, {wire::ServerAddress{"example.org", 443}}};
  const auto issued =
      issue_invite(request, {wire::NodeId{}, wire::TlsPin{7}, &front}, registry, kNow, entropy);
  const auto answer = invite_answer(issued->uri.expose_text());
  const auto uri = parse_invite_answer(answer.expose_text());
  EXPECT_EQ(uri->expose_text(), issued->uri.expose_text());
  // Only for the first call, which finds out what to watch for.
  return !watched.empty() ? std::string()
                          : std::string(uri->expose_text().substr(watch_from, kWatchedBytes));
}

TEST(InviteMemory, no_part_of_an_invite_stays_behind) {
  // Of the front secret, and of the PSK.
  for (const std::size_t watch_from : {100u, 170u}) {
    const std::string piece = issue_and_answer(watch_from);
    ASSERT_EQ(piece.size(), kWatchedBytes);
    found = 0;
    watched = piece;
    issue_and_answer(watch_from);
    watched = {};
    EXPECT_EQ(found, 0) << watch_from;
  }
}

TEST(InviteMemory, the_watch_sees_what_is_left) {
  found = 0;
  watched = "xxxxxxxxxxxxxxxxxxxxxxxx";
  {
    const std::string copy(100, 'x');
  }
  watched = {};
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace karst::app

#endif
