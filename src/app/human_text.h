#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Numbers as people read them.
namespace karst::app {

std::string human_rate(double bits_per_second);                   // "1.2 Gbit/s", "640 bit/s"
std::string human_bytes(double bytes);                            // "13 MiB"
std::string human_time(double seconds);                           // "2 h 5 min"; whole seconds, cut
std::string counted(std::size_t count, const std::string& noun);  // "1 client", "2 clients"

// A line as rows of at most `width` characters, broken between words; the rows after the first
// begin at column `margin`. A word that is longer than that is cut.
std::vector<std::string> wrapped(const std::string& line, std::size_t margin, std::size_t width);

// What is said of a clock that is so many seconds ahead of the server's; nothing if they differ by
// no more than clocks do.
std::string human_clock_offset(std::int64_t seconds);

}  // namespace karst::app
