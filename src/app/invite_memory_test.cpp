// A sanitizer has its own operator delete: this test replaces it, so it belongs to the plain build
// only.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "app/control_request.h"
#include "app/invites.h"
#include "base/prng.h"

namespace {

// What must not be in memory that is given back, and how often it was.
constexpr std::size_t kWatchedBytes = 24;
char watched[kWatchedBytes];
bool watching = false;
int found = 0;

[[gnu::noinline]] void give_back(void* memory, std::size_t size) {
  if (watching && memmem(memory, size, watched, kWatchedBytes) != nullptr) ++found;
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t size) noexcept { give_back(memory, size); }

namespace karst::app {
namespace {

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
  return watching ? std::string()
                  : std::string(uri->expose_text().substr(watch_from, kWatchedBytes));
}

TEST(InviteMemory, no_part_of_an_invite_stays_behind) {
  // Of the front secret, and of the PSK.
  for (const std::size_t watch_from : {100u, 170u}) {
    const std::string piece = issue_and_answer(watch_from);
    ASSERT_EQ(piece.size(), kWatchedBytes);
    std::memcpy(watched, piece.data(), kWatchedBytes);
    found = 0;
    watching = true;
    issue_and_answer(watch_from);
    watching = false;
    EXPECT_EQ(found, 0) << watch_from;
  }
}

TEST(InviteMemory, the_watch_sees_what_is_left) {
  std::memset(watched, 'x', kWatchedBytes);
  found = 0;
  watching = true;
  {
    const std::string copy(100, 'x');
  }
  watching = false;
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace karst::app

#endif
