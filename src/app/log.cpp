#include "app/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "app/log_budget.h"
#include "app/log_line.h"
#include "platform/linux/clock.h"

namespace karst::app {
namespace {

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
  std::shared_ptr<spdlog::sinks::sink> sink = std::make_shared<spdlog::sinks::stderr_sink_st>();
  std::unique_ptr<spdlog::logger> logger;
  LogSettings settings;
  LogBudget budget;
  Log::Filter filter;

  void write(const TraceKind& kind, std::span<const TraceField> fields) {
    logger->log(to_level(kind.level), "{}",
                settings.format == LogFormat::json
                    ? format_log_json(kind, fields, platform::wall_now())
                    : format_log_text(kind, fields));
  }
};

Log::Log(const LogSettings& settings) : parts_(std::make_unique<Parts>()) { configure(settings); }
Log::~Log() = default;

void Log::configure(const LogSettings& settings) {
  parts_->settings = settings;
  parts_->logger = std::make_unique<spdlog::logger>("karst", parts_->sink);
  parts_->logger->set_level(to_level(settings.level));
  parts_->logger->flush_on(spdlog::level::trace);
  // A log that nobody can read any more (a full disk, a closed pipe) must not end the tunnel.
  parts_->logger->set_error_handler([](const std::string&) {});
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

void Log::set_filter(Filter filter) { parts_->filter = std::move(filter); }

void Log::record(const TraceKind& kind, std::span<const TraceField> fields) {
  if (!parts_->logger->should_log(to_level(kind.level))) return;
  if (parts_->filter && !parts_->filter(kind, fields)) return;
  const auto verdict = parts_->budget.ask(kind.name, platform::monotonic_now());
  if (verdict.left_out > 0) {
    const TraceField left_out[] = {{"kind", kind.name}, {"count", verdict.left_out}};
    parts_->write({kind.level, "left-out", "events of one kind came too fast to write them all"},
                  left_out);
  }
  if (verdict.write) parts_->write(kind, fields);
}

}  // namespace karst::app
