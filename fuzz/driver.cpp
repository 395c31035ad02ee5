// main() of every fuzz target when the compiler has no libFuzzer. It gives LLVMFuzzerTestOneInput
//
//   x_fuzz [FILE|FOLDER...] [--seconds N] [--seed S] [--max-length L] [--input-seconds T]
//          [--crashes FOLDER]
//
// first each named file, in the order of their names, then for N seconds inputs mutated from them.
// The same seed and corpus give the same inputs in the same order. An input that ends the process
// (signal, failed check, sanitizer report, T seconds without an end, by default 10) is written to
// the crash folder, by default the current one, under a name that is printed.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;

struct Options {
  std::vector<fs::path> corpus;
  std::uint64_t seconds = 0;
  std::uint64_t seed = 1;
  unsigned input_seconds = 10;
  std::size_t max_length = 4096;
  std::string crashes = ".";
};

// splitmix64: small, and the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(next()); }

 private:
  std::uint64_t state_;
};

// ---------------------------------------------------------------- what a crash leaves behind

// Global because a signal handler has no argument of ours.
const Input* g_running = nullptr;
std::array<char, 4096> g_crash_path;
std::size_t g_crash_path_prefix = 0;

// Only async-signal-safe calls: the heap may be broken by now.
void save_running_input() {
  const Input* input = std::exchange(g_running, nullptr);
  if (input == nullptr) return;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint8_t byte : *input) hash = (hash ^ byte) * 0x100000001b3;
  for (std::size_t i = 0; i < 16; ++i) {
    g_crash_path[g_crash_path_prefix + i] = "0123456789abcdef"[(hash >> (60 - 4 * i)) & 15];
  }
  g_crash_path[g_crash_path_prefix + 16] = '\0';
  const int file = open(g_crash_path.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  bool saved = file >= 0;
  for (std::size_t done = 0; saved && done < input->size();) {
    const ssize_t count = write(file, input->data() + done, input->size() - done);
    saved = count > 0;
    if (saved) done += static_cast<std::size_t>(count);
  }
  constexpr std::string_view kSaved = "\nfuzz: the input is in ";
  constexpr std::string_view kLost = "\nfuzz: cannot write the input to ";
  const std::string_view text = saved ? kSaved : kLost;
  [[maybe_unused]] ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
  ignored = write(STDERR_FILENO, g_crash_path.data(), std::strlen(g_crash_path.data()));
  ignored = write(STDERR_FILENO, "\n", 1);
}

void on_signal(int number) {
  if (number == SIGALRM) {
    constexpr std::string_view kText = "\nfuzz: this input does not come to an end";
    [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kText.data(), kText.size());
  }
  save_running_input();
  std::signal(number, SIG_DFL);
  raise(number);
}

void prepare_for_crashes(const std::string& folder, const std::string& target) {
  const std::string prefix = folder + "/" + target + "-";
  if (prefix.size() + 17 > g_crash_path.size()) {
    std::fprintf(stderr, "fuzz: the name of the crash folder is too long\n");
    std::exit(2);
  }
  std::memcpy(g_crash_path.data(), prefix.data(), prefix.size());
  g_crash_path_prefix = prefix.size();
  for (int number : {SIGABRT, SIGALRM}) std::signal(number, on_signal);
  if (__sanitizer_set_death_callback != nullptr) {
    // The sanitizers keep the other signals: their report names the place.
    __sanitizer_set_death_callback(save_running_input);
  } else {
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) std::signal(number, on_signal);
  }
}

void run(const Input& input, unsigned seconds) {
  g_running = &input;
  alarm(seconds);
  // A copy of the exact size on the heap, so that reading one byte too far is seen.
  const Input exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  alarm(0);
  g_running = nullptr;
}

// ----------------------------------------------------------------------------------- mutation

class Mutator {
 public:
  Mutator(const std::vector<Input>& corpus, Random& random, std::size_t max_length)
      : corpus_(corpus), random_(random), max_length_(max_length) {}

  Input next() {
    Input input = any_input();
    for (std::size_t steps = 1 + random_.below(5); steps > 0; --steps) step(input);
    if (input.size() > max_length_) input.resize(max_length_);
    return input;
  }

 private:
  const Input& any_input() const { return corpus_[random_.below(corpus_.size())]; }

  void step(Input& input) {
    if (input.empty()) return insert(input);
    switch (random_.below(8)) {
      case 0:
        input[random_.below(input.size())] ^= static_cast<std::uint8_t>(1 << random_.below(8));
        break;
      case 1:
        input[random_.below(input.size())] = random_.byte();
        break;
      case 2:
        write_interesting(input);
        break;
      case 3:
        insert(input);
        break;
      case 4:
        erase(input);
        break;
      case 5:
        copy_within(input);
        break;
      case 6:
        splice(input);
        break;
      default:
        change_length_field(input);
        break;
    }
  }

  // A number at which lengths, counters and signs change their minds, in one of the widths and
  // byte orders that formats use.
  void write_interesting(Input& input) {
    static constexpr std::array<std::uint64_t, 22> kNumbers = {0,          1,
                                                               2,          0x3f,
                                                               0x40,       0x7f,
                                                               0x80,       0xff,
                                                               0x100,      0x3fff,
                                                               0x4000,     0x7fff,
                                                               0x8000,     0xffff,
                                                               0x10000,    0xffffff,
                                                               0x3fffffff, 0x7fffffff,
                                                               0x80000000, 0xffffffff,
                                                               ~0ull,      0x7fffffffffffffffull};
    const std::size_t width = std::min<std::size_t>(1ull << random_.below(4), input.size());
    const std::size_t at = random_.below(input.size() - width + 1);
    const std::uint64_t number = kNumbers[random_.below(kNumbers.size())];
    const bool big_endian = random_.below(4) != 0;
    for (std::size_t i = 0; i < width; ++i) {
      const std::size_t shift = 8 * (big_endian ? width - 1 - i : i);
      input[at + i] = static_cast<std::uint8_t>(number >> shift);
    }
  }

  // Adds or takes a little from a byte: off-by-one lengths.
  void change_length_field(Input& input) {
    std::uint8_t& byte = input[random_.below(input.size())];
    const std::size_t amount = 1 + random_.below(4);
    byte = static_cast<std::uint8_t>(random_.below(2) == 0 ? byte + amount : byte - amount);
  }

  void insert(Input& input) {
    const std::size_t count = run_length(64);
    const bool repeated = random_.below(2) == 0;
    const std::uint8_t value = random_.byte();
    Input added(count);
    for (std::uint8_t& byte : added) byte = repeated ? value : random_.byte();
    const auto at = input.begin() + static_cast<std::ptrdiff_t>(random_.below(input.size() + 1));
    input.insert(at, added.begin(), added.end());
  }

  void erase(Input& input) {
    // One time in four the end is cut off: truncation is what a network does.
    const std::size_t from = random_.below(input.size());
    const bool truncate = random_.below(4) == 0;
    const std::size_t count = truncate ? input.size() - from : run_length(input.size() - from);
    const auto at = input.begin() + static_cast<std::ptrdiff_t>(from);
    input.erase(at, at + static_cast<std::ptrdiff_t>(count));
  }

  void copy_within(Input& input) {
    const std::size_t from = random_.below(input.size());
    const std::size_t count = run_length(input.size() - from);
    const auto begin = input.begin() + static_cast<std::ptrdiff_t>(from);
    const Input part(begin, begin + static_cast<std::ptrdiff_t>(count));
    const auto at = input.begin() + static_cast<std::ptrdiff_t>(random_.below(input.size() + 1));
    input.insert(at, part.begin(), part.end());
  }

  // The head of this input and the tail of another.
  void splice(Input& input) {
    const Input& other = any_input();
    const std::size_t from = random_.below(other.size() + 1);
    input.resize(random_.below(input.size() + 1));
    input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
  }

  // Between 1 and `most`, short ones more often.
  std::size_t run_length(std::size_t most) {
    const std::size_t bound = random_.below(4) == 0 ? most : std::min<std::size_t>(most, 8);
    return 1 + random_.below(std::max<std::size_t>(bound, 1));
  }

  const std::vector<Input>& corpus_;
  Random& random_;
  std::size_t max_length_;
};

// ----------------------------------------------------------------------------------- the program

[[noreturn]] void usage(const char* program) {
  std::fprintf(stderr,
               "usage: %s [FILE|FOLDER...] [--seconds N] [--seed S] [--max-length L] "
               "[--input-seconds T] [--crashes FOLDER]\n",
               program);
  std::exit(2);
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (!name.starts_with("--")) {
      options.corpus.emplace_back(name);
      continue;
    }
    if (++i == count) usage(arguments[0]);
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(arguments[i], &end, 10);
    const bool is_number = *arguments[i] != '\0' && *end == '\0';
    if (name == "--crashes") {
      options.crashes = arguments[i];
    } else if (name == "--seconds" && is_number) {
      options.seconds = number;
    } else if (name == "--seed" && is_number) {
      options.seed = number;
    } else if (name == "--input-seconds" && is_number) {
      options.input_seconds = static_cast<unsigned>(number);
    } else if (name == "--max-length" && is_number && number > 0) {
      options.max_length = static_cast<std::size_t>(number);
    } else {
      usage(arguments[0]);
    }
  }
  return options;
}

std::vector<Input> read_corpus(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (fs::is_directory(path)) {
      for (const auto& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    } else if (fs::is_regular_file(path)) {
      files.push_back(path);
    } else {
      std::fprintf(stderr, "fuzz: no file or folder %s\n", path.c_str());
      std::exit(2);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> corpus;
  for (const fs::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  const std::string target = fs::path(arguments[0]).filename().string();
  prepare_for_crashes(options.crashes, target);

  std::vector<Input> corpus = read_corpus(options.corpus);
  const std::size_t replayed = corpus.size();
  for (const Input& input : corpus) run(input, options.input_seconds);
  // The empty input is part of every corpus.
  run(corpus.emplace_back(), options.input_seconds);

  std::uint64_t mutated = 0;
  Random random(options.seed);
  Mutator mutator(corpus, random, options.max_length);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  while (options.seconds > 0 && std::chrono::steady_clock::now() < end) {
    run(mutator.next(), options.input_seconds);
    ++mutated;
  }
  std::printf("%s: %zu corpus inputs, %llu mutated inputs, seed %llu, no crash\n", target.c_str(),
              replayed, static_cast<unsigned long long>(mutated),
              static_cast<unsigned long long>(options.seed));
  return 0;
}
