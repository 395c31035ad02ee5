#pragma once

#include <cstddef>
#include <string>

// Numbers as people read them.
namespace karst::app {

std::string human_rate(double bits_per_second);                   // "1.2 Gbit/s", "640 bit/s"
std::string human_bytes(double bytes);                            // "13 MiB"
std::string human_time(double seconds);                           // "2 h 5 min"; whole seconds, cut
std::string counted(std::size_t count, const std::string& noun);  // "1 client", "2 clients"

}  // namespace karst::app
