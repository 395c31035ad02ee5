#pragma once

#include <string>

#include "app/failure.h"
#include "lab/run_error.h"

namespace karst::app {

// What the commands of the lab do first: without root, become root of a user namespace. To be
// called before any thread exists.
Outcome<void> become_lab_root();
// The program file that runs now: what the lab measures unless told otherwise.
std::string own_program();
// Prints why a command of the lab ended without its results. Returns its exit code.
int fail_run(const lab::RunError& error);

}  // namespace karst::app
