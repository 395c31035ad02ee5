#include "platform/linux/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>

#include <array>

using namespace karst::platform;

namespace {

class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() {
    int far = -1;
    int near = -1;
    const winsize size{.ws_row = 10, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(::openpty(&far, &near, nullptr, nullptr, &size), 0);
    EXPECT_EQ(::fcntl(far, F_SETFL, O_NONBLOCK), 0);
    screen = UniqueFd(far);
    program = UniqueFd(near);
    terminal = Terminal::open(near, near);
  }

  // What the terminal has been shown since last asked.
  std::string shown() {
    std::string out;
    std::array<char, 4096> bytes;
    for (ssize_t got; (got = ::read(screen.get(), bytes.data(), bytes.size())) > 0;) {
      out.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return out;
  }

  UniqueFd screen;
  UniqueFd program;
  std::optional<Terminal> terminal;
};

TEST_F(TerminalTest, it_is_opened_only_where_both_descriptors_are_the_same_terminal) {
  EXPECT_TRUE(terminal);
  const UniqueFd file(::open("/dev/null", O_RDWR));
  EXPECT_FALSE(Terminal::open(program.get(), file.get()));
  EXPECT_FALSE(Terminal::open(file.get(), program.get()));
  int far = -1;
  int near = -1;
  ASSERT_EQ(::openpty(&far, &near, nullptr, nullptr, nullptr), 0);
  const UniqueFd other_screen(far);
  const UniqueFd other_program(near);
  EXPECT_FALSE(Terminal::open(program.get(), other_program.get()));
}

TEST_F(TerminalTest, it_knows_its_size) {
  EXPECT_EQ(terminal->size().rows, 10u);
  EXPECT_EQ(terminal->size().columns, 60u);
}

TEST_F(TerminalTest, one_that_takes_nothing_holds_nobody_up_and_shows_the_rest_later) {
  std::string sent;
  for (int i = 0; i < 10'000 && !terminal->stuck(); ++i) {
    const std::string line = std::to_string(i) + " and some words that fill the terminal up\r\n";
    terminal->write(line);
    sent += line;
  }
  ASSERT_TRUE(terminal->stuck());
  std::string got;
  for (int i = 0; i < 100 && terminal->stuck(); ++i) got += shown();
  EXPECT_FALSE(terminal->stuck());
  got += shown();
  // The terminal's driver turns each line end into two characters.
  std::string expected;
  for (const char c : sent) expected += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(got, expected);
}

TEST_F(TerminalTest, lines_that_were_typed_are_counted_once_and_taken) {
  ASSERT_EQ(::write(screen.get(), "one\ntwo\nhalf", 12), 12);
  EXPECT_EQ(terminal->take_typed_lines(), 2u);
  EXPECT_EQ(terminal->take_typed_lines(), 0u);
  ASSERT_EQ(::write(screen.get(), "\n", 1), 1);
  EXPECT_EQ(terminal->take_typed_lines(), 1u);
}

TEST_F(TerminalTest, one_that_has_gone_takes_everything_and_is_never_stuck) {
  screen.reset();
  terminal->write(std::string(100'000, 'x'));
  EXPECT_FALSE(terminal->stuck());
  EXPECT_EQ(terminal->size().columns, 80u);
  EXPECT_EQ(terminal->take_typed_lines(), 0u);
}

TEST_F(TerminalTest, it_is_not_in_the_foreground_of_a_terminal_that_is_not_its_own) {
  EXPECT_FALSE(terminal->foreground());
}

}  // namespace
