// After a handshake its secrets are nowhere in the process: all writable memory is searched, freed
// heap and dead stack included.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "crypto/reference_for_test.h"
#include "keys/handshake_world_for_test.h"

namespace karst::keys {
namespace {

namespace ref = crypto::reference;

constexpr std::uint8_t kMask = 0xa5;

// 32 bytes to look for, held masked so that this is not itself a copy.
class Needle {
 public:
  Needle() = default;
  explicit Needle(Bytes secret) {
    for (std::size_t i = 0; i < masked_.size(); ++i) masked_[i] = secret[i] ^ kMask;
  }
  std::array<std::uint8_t, 32>& masked() { return masked_; }

  std::size_t count_in(Bytes memory) const {
    std::size_t count = 0;
    const std::uint8_t first = masked_[0] ^ kMask;
    const std::uint8_t* end = memory.data() + memory.size();
    for (const std::uint8_t* at = memory.data(); end - at >= 32; ++at) {
      at = static_cast<const std::uint8_t*>(
          std::memchr(at, first, static_cast<std::size_t>(end - at) - 31));
      if (at == nullptr) break;
      std::size_t same = 0;
      while (same < 32 && (at[same] ^ kMask) == masked_[same]) ++same;
      if (same == 32) ++count;
    }
    return count;
  }

 private:
  std::array<std::uint8_t, 32> masked_{};
};

// How often the needle stands in this process's writable memory. Reads through /proc, so that
// nothing it reads counts as an access. Regions that overlap the window are seen by both readings.
std::size_t count_in_process(const Needle& needle) {
  constexpr std::size_t kWindow = 1 << 20;
  static std::uint8_t window[kWindow];
  const auto window_start = reinterpret_cast<std::uintptr_t>(window);
  std::size_t count = 0;
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  char line[512];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t start = 0, end = 0;
    char mode[5] = {};
    if (std::sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3) continue;
    // Sanitizers reserve terabytes for their own use.
    if (mode[0] != 'r' || mode[1] != 'w' || end - start > (1ul << 30)) continue;
    while (start < end) {
      // The window must not find itself.
      if (start == window_start) start += kWindow;
      const std::uintptr_t stop = start < window_start ? std::min(end, window_start) : end;
      const std::size_t wanted = std::min(kWindow, stop - start);
      const ssize_t got = pread(memory, window, wanted, static_cast<off_t>(start));
      if (got <= 0) break;
      count += needle.count_in({window, static_cast<std::size_t>(got)});
      // One byte less than a needle is read again, so that none hides at a border.
      start += static_cast<std::size_t>(got) < wanted || start + wanted == stop
                   ? static_cast<std::size_t>(got)
                   : wanted - 31;
    }
  }
  crypto::wipe(window);
  close(memory);
  std::fclose(maps);
  return count;
}

// hs and what follows from it until the session keys, computed in a child process, which leaves no
// trace in this one.
struct Needles {
  Needle hs, client_key, server_key, root_0;
};

template <class Compute>
Needles in_child(Compute compute) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    Needles needles = compute();
    for (Needle* needle :
         {&needles.hs, &needles.client_key, &needles.server_key, &needles.root_0}) {
      CHECK(write(ends[1], needle->masked().data(), 32) == 32);
    }
    _exit(0);
  }
  close(ends[1]);
  Needles needles;
  for (Needle* needle : {&needles.hs, &needles.client_key, &needles.server_key, &needles.root_0}) {
    CHECK(read(ends[0], needle->masked().data(), 32) == 32);
  }
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return needles;
}

TEST(HandshakeMemory, the_search_finds_what_is_there) {
  SeededEntropy entropy(3);
  const Needles needles = in_child([] {
    SeededEntropy same(3);
    const auto secret = ClientPsk::random(same);
    Needles out;
    out.hs = Needle(secret.expose());
    return out;
  });
  EXPECT_EQ(count_in_process(needles.hs), 0u);
  const auto on_stack = ClientPsk::random(entropy);
  EXPECT_EQ(count_in_process(needles.hs), 1u);
  const auto on_heap = std::make_unique<ClientPsk>(on_stack.duplicate());
  EXPECT_EQ(count_in_process(needles.hs), 2u);
  EXPECT_TRUE(equal(on_heap->expose(), on_stack.expose()));
}

TEST(HandshakeMemory, nothing_of_a_finished_handshake_is_left) {
  HandshakeWorld world;
  world.register_client();
  const TlsExporter connection = world.new_connection();
  ClientHello hello = world.hello(connection, world.by_psk());
  ServerAnswer answer = *world.answer(connection, hello.m1);
  ClientReply reply = *std::move(hello.next).handle(answer.m2, world.entropy);

  // hs is the first member of the state that waits for M3.
  static_assert(sizeof(HandshakeSecret) == 32);
  const Bytes hs(reinterpret_cast<const std::uint8_t*>(&answer.next), 32);
  const Needles needles = in_child([&] {
    const ByteVector client_key = ref::expand(hs, "karst/1 client handshake key");
    CHECK(ref::open(client_key, reply.m3).has_value());
    Needles out;
    out.hs = Needle(hs);
    out.client_key = Needle(client_key);
    out.server_key = Needle(ref::expand(hs, "karst/1 server handshake key"));
    out.root_0 = Needle(
        ref::extract(hs, {reply.secrets.psk_link.expose(), connection.expose(), reply.transcript}));
    CHECK(equal(ref::expand(ref::extract(hs, {reply.secrets.psk_link.expose(), connection.expose(),
                                              reply.transcript}),
                            "karst/1 resume"),
                reply.secrets.resume_key.expose()));
    return out;
  });
  EXPECT_EQ(count_in_process(needles.hs), 1u) << "the server waits for M3";

  ProvisionalPeer peer =
      *std::move(answer.next).handle(reply.m3, world.registry, kWorldNow, world.entropy);
  EXPECT_TRUE(same_secrets(reply.secrets, peer.take_secrets()));
  EXPECT_EQ(count_in_process(needles.hs), 0u);
  EXPECT_EQ(count_in_process(needles.client_key), 0u);
  EXPECT_EQ(count_in_process(needles.server_key), 0u);
  EXPECT_EQ(count_in_process(needles.root_0), 0u);
  EXPECT_EQ(count_in_process(Needle(reply.secrets.client_to_server_root.expose())), 1u)
      << "the client's; the server has given its own away";

  // The PSK is where it is stored (world and registry) and in no state of the handshake, although
  // the objects are still there.
  EXPECT_EQ(count_in_process(Needle(world.psk.expose())), 2u);
}

TEST(HandshakeMemory, nothing_of_a_refused_handshake_is_left_although_its_object_is) {
  HandshakeWorld world;
  world.register_client();
  const TlsExporter connection = world.new_connection();
  ClientHello hello = world.hello(connection, world.by_psk());
  ServerAnswer answer = *world.answer(connection, hello.m1);
  ByteVector m3 = std::move(hello.next).handle(answer.m2, world.entropy)->m3;
  m3.back() ^= 1;
  const Needles needles = in_child([&] {
    Needles out;
    out.hs = Needle({reinterpret_cast<const std::uint8_t*>(&answer.next), 32});
    return out;
  });
  ASSERT_EQ(count_in_process(needles.hs), 1u);
  ASSERT_FALSE(std::move(answer.next).handle(m3, world.registry, kWorldNow, world.entropy).ok());
  EXPECT_EQ(count_in_process(needles.hs), 0u);
}

}  // namespace
}  // namespace karst::keys
