#pragma once

#include <expected>
#include <string>
#include <utility>

#include "base/result.h"

namespace karst::app {

// Exit codes of the program.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;  // wrong usage or configuration
inline constexpr int kExitNotRunning = 3;
inline constexpr int kExitVoid = 4;  // nothing was found out: the emulated path was not as asked
inline constexpr int kExitInconclusive = 5;  // nothing failed, but not all was found out
// Plus the number of the signal that ended a command, as a shell would report it.
inline constexpr int kExitSignal = 128;

// Why a command ends early, as it is printed after "karst: ". Says what to do where that is known.
struct Failure {
  std::string message;
  int exit_code = kExitFailed;
};

template <class T>
using Outcome = std::expected<T, Failure>;

// "FILE: the sentence of the error" with FILE put in where the sentence speaks of it.
Failure file_failure(const std::string& file, const Error& error);
// The sentence of an error, with the detail where it helps.
std::string describe(const Error& error);

}  // namespace karst::app
