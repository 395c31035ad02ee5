#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "base/trace.h"

// A trace event as one line of the log, without its time and level in the text form. Whatever a
// field holds, the line stays one line and its fields stay apart: control characters and bytes
// beyond ASCII become '?', and text that could be taken for the line's own punctuation is quoted.
namespace karst::app {

// "link-up: the tunnel is up [server=example.org:443]"
std::string format_log_text(const TraceKind& kind, std::span<const TraceField> fields);
// One JSON object.
std::string format_log_json(const TraceKind& kind, std::span<const TraceField> fields,
                            UnixTime time);

std::string_view level_name(TraceLevel level);

}  // namespace karst::app
