#include "app/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace karst::app {
namespace {

using Clock = spdlog::log_clock;

constexpr int kPerWindow = 20;
constexpr std::chrono::seconds kWindow{10};

spdlog::level::level_enum to_level(TraceLevel level) {
  switch (level) {
    case TraceLevel::debug:
      return spdlog::level::debug;
    case TraceLevel::info:
      return spdlog::level::info;
    case TraceLevel::warning:
      return spdlog::level::warn;
    case TraceLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::level::level_enum to_level(LogLevel level) {
  return to_level(static_cast<TraceLevel>(level));
}

// Text from a peer must not forge lines or move the cursor.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c >= 0x20 && c != 0x7f ? c : '?';
  }
  return out;
}

std::string as_line(const TraceKind& kind, std::span<const TraceField> fields) {
  std::string line(kind.text);
  std::string rest;
  for (const TraceField& field : fields) {
    rest += rest.empty() ? "" : " ";
    rest += std::string(field.key) + "=";
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      const bool quote = text->find(' ') != text->npos || text->empty();
      rest += quote ? "\"" + printable(*text) + "\"" : printable(*text);
    } else {
      rest += std::to_string(std::get<std::int64_t>(field.value));
    }
  }
  return rest.empty() ? line : line + " [" + rest + "]";
}

std::string as_json(const TraceKind& kind, std::span<const TraceField> fields,
                    Clock::time_point at) {
  nlohmann::ordered_json out;
  out["time"] = std::chrono::duration<double>(at.time_since_epoch()).count();
  out["level"] = spdlog::level::to_string_view(to_level(kind.level)).data();
  out["event"] = kind.name;
  out["text"] = kind.text;
  for (const TraceField& field : fields) {
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      out[std::string(field.key)] = printable(*text);
    } else {
      out[std::string(field.key)] = std::get<std::int64_t>(field.value);
    }
  }
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class HookSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit HookSink(Log::LineHook hook) : hook_(std::move(hook)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    hook_({line.data(), line.size()});
  }
  void flush_() override {}

  Log::LineHook hook_;
};

}  // namespace

struct Log::Parts {
  struct Budget {
    Clock::time_point since;
    int used = 0;
    int left_out = 0;
  };

  std::shared_ptr<spdlog::sinks::sink> sink = std::make_shared<spdlog::sinks::stderr_sink_st>();
  std::unique_ptr<spdlog::logger> logger;
  LogSettings settings;
  std::map<std::string_view, Budget> budgets;
};

Log::Log(const LogSettings& settings) : parts_(std::make_unique<Parts>()) { configure(settings); }
Log::~Log() = default;

void Log::configure(const LogSettings& settings) {
  parts_->settings = settings;
  parts_->logger = std::make_unique<spdlog::logger>("karst", parts_->sink);
  parts_->logger->set_level(to_level(settings.level));
  parts_->logger->flush_on(spdlog::level::trace);
  parts_->logger->set_pattern(settings.format == LogFormat::json ? "%v"
                                                                 : "%Y-%m-%d %H:%M:%S %l %v");
}

void Log::set_line_hook(LineHook hook) {
  if (hook) {
    parts_->sink = std::make_shared<HookSink>(std::move(hook));
  } else {
    parts_->sink = std::make_shared<spdlog::sinks::stderr_sink_st>();
  }
  configure(parts_->settings);
}

void Log::record(const TraceKind& kind, std::span<const TraceField> fields) {
  const auto level = to_level(kind.level);
  if (!parts_->logger->should_log(level)) return;
  const auto now = Clock::now();
  Parts::Budget& budget = parts_->budgets[kind.name];
  if (now - budget.since > kWindow) {
    if (budget.left_out > 0) {
      parts_->logger->log(level, "{} more of \"{}\" were left out", budget.left_out, kind.name);
    }
    budget = {now, 0, 0};
  }
  if (++budget.used > kPerWindow) {
    ++budget.left_out;
    return;
  }
  const bool json = parts_->settings.format == LogFormat::json;
  parts_->logger->log(level, json ? as_json(kind, fields, now) : as_line(kind, fields));
}

}  // namespace karst::app
