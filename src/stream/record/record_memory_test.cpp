#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "keys/ratchet_oracle_for_test.h"
#include "stream/record/record_for_test.h"

// What is left of retired secrets in the whole memory of a process that runs both ends of a link.
// Another process computes what to look for, and hands it over masked, so that the looking itself
// leaves nothing to be found.

namespace karst::stream::record {
namespace {

namespace oracle = keys::oracle;

constexpr std::uint8_t kMask = 0xa5;
constexpr int kRecords = 56;  // 16 full records to an epoch: three epochs and a half
constexpr std::size_t kPerEpoch = 16;
constexpr std::uint64_t kCurrent = (kRecords - 1) / kPerEpoch;

// The same records and exchanges each time.
template <class OnExchange>
void run(RecordPair& link, OnExchange on_exchange) {
  for (int i = 0; i < kRecords; ++i) {
    ByteVector record = link.seal(wire::FrameType::data, wire::kPlaintextBytesMax);
    CHECK(link.open(record).ok());
    link.exchange(on_exchange);
  }
}

enum class Fate : std::uint8_t { retired, current, kept };

// A secret, masked. `current` are those of the epoch in use: wiped at its age. `kept` live on.
struct Masked {
  char name[24] = {};
  std::uint64_t epoch = 0;
  Fate fate = Fate::kept;
  std::array<std::uint8_t, 32> bytes{};
};

class Oracle {
 public:
  std::vector<Masked> secrets() {
    RecordPair link;
    SeededEntropy offering(1);  // what RatchetPair's client draws from, for OFFERs alone here
    root_ = to_vector(keys::RatchetPair::root(0x11).expose());
    add_epoch(0);
    std::uint64_t epoch = 0;
    run(link, [&](const ByteVector& offer, const ByteVector& ack) {
      exchange(++epoch, offering, offer, ack);
    });
    for (Masked& secret : out_) {
      if (std::strcmp(secret.name, "root") == 0 && secret.epoch == epoch) secret.fate = Fate::kept;
    }
    add("psk_link", 0, Fate::kept, keys::RatchetPair::psk().expose());
    return std::move(out_);
  }

 private:
  void add(const char* name, std::uint64_t epoch, Fate fate, Bytes bytes) {
    Masked masked;
    std::snprintf(masked.name, sizeof masked.name, "%s", name);
    masked.epoch = epoch;
    masked.fate = fate;
    for (std::size_t i = 0; i < 32; ++i) masked.bytes[i] = bytes[i] ^ kMask;
    out_.push_back(masked);
  }

  void exchange(std::uint64_t epoch, Entropy& offering, Bytes offer, Bytes ack) {
    const auto kem_seed = offering.bytes<64>();
    const auto x25519_private = offering.bytes<32>();
    const auto kem = oracle::ml_kem_decapsulate(kem_seed, ack.subspan(40));
    const auto dh = oracle::x25519(x25519_private, ack.subspan(8, 32));
    root_ =
        oracle::epoch_root(1, epoch, root_, keys::RatchetPair::psk().expose(), kem, dh, offer, ack);
    add("ML-KEM seed d", epoch, Fate::retired, Bytes(kem_seed).first(32));
    add("ML-KEM seed z", epoch, Fate::retired, Bytes(kem_seed).last(32));
    add("X25519 private key", epoch, Fate::retired, x25519_private);
    add("ML-KEM shared", epoch, Fate::retired, kem);
    add("X25519 shared", epoch, Fate::retired, dh);
    add("root", epoch, Fate::retired, root_);
    add_epoch(epoch);
  }

  void add_epoch(std::uint64_t epoch) {
    ByteVector chain = oracle::chain_start(root_);
    add("chain start", epoch, epoch > kCurrent ? Fate::kept : Fate::retired, chain);
    if (epoch > kCurrent) return;
    const std::size_t used = epoch < kCurrent ? kPerEpoch : kRecords - kCurrent * kPerEpoch;
    for (std::size_t record = 0; record < used; ++record) {
      const ByteVector step = oracle::record_step(chain);
      chain = to_vector(Bytes(step).last(32));
      add("record key", epoch, Fate::retired, step);
      if (record + 1 < used) add("chain", epoch, Fate::retired, chain);
    }
    // The key of the record that is due has been made from the last chain value.
    add("chain", epoch, Fate::retired, chain);
    const ByteVector due = oracle::record_step(chain);
    const Fate fate = epoch < kCurrent ? Fate::retired : Fate::current;
    add("record key that is due", epoch, fate, due);
    add("chain value", epoch, fate, Bytes(due).last(32));
  }

  ByteVector root_;
  std::vector<Masked> out_;
};

// Runs the oracle in a child and reads what it found.
std::vector<Masked> ask_oracle() {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    for (const Masked& secret : Oracle().secrets()) {
      CHECK(write(ends[1], &secret, sizeof secret) == static_cast<ssize_t>(sizeof secret));
    }
    _exit(0);
  }
  close(ends[1]);
  std::vector<Masked> out;
  for (Masked secret; read(ends[0], &secret, sizeof secret) == sizeof secret;)
    out.push_back(secret);
  close(ends[0]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return out;
}

constexpr std::array<std::size_t, 2> kHalves = {0, 16};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Looks for the first and the second half of each secret in all writable memory of this process.
class Scan {
 public:
  explicit Scan(const std::vector<Masked>& secrets) : secrets_(secrets), found_(secrets.size()) {
    for (const Masked& secret : secrets) {
      for (const std::size_t half : kHalves) starts_.set(start_of(secret.bytes.data() + half));
    }
    const std::unique_ptr<std::FILE, CloseFile> maps(std::fopen("/proc/self/maps", "r"));
    const int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    CHECK(maps && memory >= 0);
    char line[512];
    while (std::fgets(line, sizeof line, maps.get())) {
      std::uintptr_t begin = 0, end = 0;
      char writable = 0;
      CHECK(std::sscanf(line, "%lx-%lx r%c", &begin, &end, &writable) >= 2);
      // The shadow memory of a sanitizer is terabytes of nothing.
      if (writable == 'w' && end - begin < (1ull << 30)) region(memory, begin, end);
    }
    close(memory);
  }
  bool found(std::size_t secret) const { return found_[secret]; }
  std::size_t bytes() const { return bytes_; }

 private:
  static std::size_t start_of(const std::uint8_t* masked) {
    return static_cast<std::size_t>(masked[0] | masked[1] << 8);
  }

  void region(int memory, std::uintptr_t begin, std::uintptr_t end) {
    const auto own = reinterpret_cast<std::uintptr_t>(chunk_.data());
    for (std::uintptr_t at = begin; at < end;) {
      const std::size_t want = std::min<std::size_t>(end - at, chunk_.size());
      const ssize_t got = pread(memory, chunk_.data(), want, static_cast<off_t>(at));
      if (got <= 16) return;  // a page that cannot be read, as a guard page
      // Masked at once: nothing that is read here stays as it was.
      for (std::uint8_t& byte : chunk_) byte ^= kMask;
      if (at + want <= own || at >= own + chunk_.size()) look(static_cast<std::size_t>(got));
      bytes_ += static_cast<std::size_t>(got);
      at += want < chunk_.size() ? want : want - 16;
    }
  }

  void look(std::size_t size) {
    for (std::size_t i = 0; i + 16 <= size; ++i) {
      if (!starts_.test(start_of(&chunk_[i]))) continue;
      for (std::size_t s = 0; s < secrets_.size(); ++s) {
        for (const std::size_t half : kHalves) {
          if (std::memcmp(&chunk_[i], &secrets_[s].bytes[half], 16) == 0) found_[s] = true;
        }
      }
    }
  }

  const std::vector<Masked>& secrets_;
  std::vector<bool> found_;
  std::bitset<65'536> starts_;
  std::vector<std::uint8_t> chunk_ = std::vector<std::uint8_t>(1 << 16);
  std::size_t bytes_ = 0;
};

TEST(RecordMemory, holds_no_retired_secret_and_after_their_age_none_of_the_current_epoch) {
  const std::vector<Masked> secrets = ask_oracle();
  ASSERT_GT(secrets.size(), 150u);
  RecordPair link;
  run(link, [](const ByteVector&, const ByteVector&) {});
  ASSERT_EQ(link.ratchets.server.stream_receive().current(), kCurrent);
  for (const bool aged : {false, true}) {
    if (aged) {
      for (keys::LinkRatchet* end : {&link.ratchets.client, &link.ratchets.server}) {
        ASSERT_TRUE(end->handle_deadline(link.now + std::chrono::hours(1)).ok());
      }
    }
    const Scan scan(secrets);
    for (std::size_t i = 0; i < secrets.size(); ++i) {
      const bool expected =
          secrets[i].fate == Fate::kept || (secrets[i].fate == Fate::current && !aged);
      EXPECT_EQ(scan.found(i), expected)
          << secrets[i].name << " of epoch " << secrets[i].epoch << (aged ? ", aged" : "");
    }
  }
}

}  // namespace
}  // namespace karst::stream::record
