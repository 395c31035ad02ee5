#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "app/client_daemon.h"
#include "app/commands.h"
#include "app/files.h"
#include "app/repeat_filter.h"
#include "app/server_daemon.h"
#include "app/terminal_view.h"
#include "platform/linux/hardening.h"
#include "platform/linux/held_signals.h"
#include "platform/linux/signal_watch.h"
#include "platform/linux/state_directory.h"

namespace karst::app {
namespace {

constexpr Duration kDrainTime = std::chrono::seconds(10);

constexpr TraceKind kDraining{TraceLevel::info, "draining",
                              "ending: open connections may finish; a second signal ends at once"};
constexpr TraceKind kTerminalGone{TraceLevel::info, "terminal-gone",
                                  "the terminal was closed: ending"};
constexpr TraceKind kStopped{TraceLevel::info, "stopped", "ended"};
constexpr TraceKind kControlBroken{TraceLevel::warning, "control-unavailable",
                                   "no control socket: `karst status` will not work"};
constexpr TraceKind kDumpsAllowed{
    TraceLevel::warning, "dumps-allowed",
    "core dumps could not be forbidden: a crash may write keys to disk"};

// What both roles do around their daemon: signals, the control socket, the terminal, the end.
template <class Daemon, class Settings>
class Runner {
 public:
  Runner(const Paths& paths, platform::EventLoop& loop, Log& log, Daemon& daemon)
      : paths_(paths), loop_(loop), log_(log), daemon_(daemon) {}

  int run() {
    auto signals = loop_.on_signals({SIGTERM, SIGINT, SIGHUP, SIGCONT, SIGWINCH},
                                    [this](int signal) { handle_signal(signal); });
    if (!signals.ok()) return fail({describe(signals.error())});
    open_control();
    if (const auto started = daemon_.start(); !started) return fail(started.error());
    redraw_ = loop_.make_timer([this] { draw(); });
    drain_limit_ = loop_.make_timer([this] { loop_.stop(); });
    if (auto terminal = platform::Terminal::open(STDOUT_FILENO, STDERR_FILENO)) {
      view_.emplace(std::move(*terminal));
      log_.set_line_hook([this](std::string_view line) { view_->print_line(line); });
    }
    log_.set_filter([this, repeats = RepeatFilter(view_ ? RepeatFilter::Reader::person
                                                        : RepeatFilter::Reader::file)](
                        const TraceKind& kind, auto fields) mutable {
      return repeats.admits(kind, fields, loop_.now());
    });
    draw();
    loop_.run();
    redraw_.reset();
    log_(kStopped);
    log_.set_line_hook(nullptr);
    log_.set_filter(nullptr);
    if (view_) view_->finish();
    return kExitOk;
  }

 private:
  void handle_signal(int signal) {
    switch (signal) {
      case SIGCONT:
        if (view_) view_->leave();
        return draw();
      case SIGWINCH:
        return draw();
      case SIGHUP:
        // Shell and kernel both say that a terminal has closed; the second is not impatience.
        if (draining_) return;
        if (!terminal_closed()) return reload();
        log_(kTerminalGone);
        break;
      default:
        break;
    }
    if (draining_) return loop_.stop();
    draining_ = true;
    log_(kDraining);
    drain_limit_->arm(loop_.now() + kDrainTime);
    daemon_.drain([this] { loop_.stop(); });
    draw();
  }

  // SIGHUP is how an operator asks for a reload, and how a shell says that its terminal is closed.
  bool terminal_closed() const { return had_terminal_ && !platform::has_controlling_terminal(); }

  void reload() {
    if constexpr (requires { daemon_.reload(); }) {
      daemon_.reload();
    } else {
      daemon_.handle_control({ControlRequest::Kind::reload, {}, 0, {}}, [](std::string_view) {});
    }
  }

  void open_control() {
    auto server = platform::ControlServer::listen(
        loop_.reactor(), paths_.control().string(),
        [this](std::string_view text, platform::ControlReply reply) {
          const auto request = parse_request(text);
          if (!request.ok()) return reply(error_answer(describe(request.error())));
          daemon_.handle_control(*request, std::move(reply));
        });
    if (server.ok()) {
      control_ = std::move(*server);
    } else {
      const std::string why = describe(server.error());
      log_(kControlBroken, {{"reason", std::string_view(why)}});
    }
  }

  void draw() {
    if (!view_) return;
    view_->draw(daemon_.status(),
                std::chrono::duration<double>(loop_.now().time_since_epoch()).count());
    redraw_->arm(loop_.now() + std::chrono::seconds(1));
  }

  const Paths& paths_;
  platform::EventLoop& loop_;
  Log& log_;
  Daemon& daemon_;
  const bool had_terminal_ = platform::has_controlling_terminal() && !platform::is_ignored(SIGHUP);
  std::optional<TerminalView> view_;
  std::unique_ptr<driver::Timer> redraw_;
  std::unique_ptr<platform::ControlServer> control_;
  std::unique_ptr<driver::Timer> drain_limit_;
  bool draining_ = false;
};

template <class Daemon, class Settings>
int run_role(const Paths& paths, const Settings& settings) {
  // A log that nobody reads any more must not end the tunnel.
  ::signal(SIGPIPE, SIG_IGN);
  Log log(settings.log);
  if (!platform::forbid_dumps().ok()) log(kDumpsAllowed);
  static_cast<void>(platform::forbid_new_privileges());
  static_cast<void>(platform::raise_open_files());
  static_cast<void>(platform::lock_memory());
  platform::keep_freed_memory();
  for (const auto& directory : {paths.state, paths.run}) {
    if (const auto made = make_directory(directory); !made) return fail(made.error());
  }
  auto lock = platform::StateDirectory::open(paths.state.string());
  if (!lock.ok()) return fail(file_failure(paths.state.string(), lock.error()));
  auto loop = platform::EventLoop::create();
  if (!loop.ok()) return fail({describe(loop.error())});
  auto daemon = Daemon::load(paths, settings, **loop, log);
  if (!daemon) return fail(daemon.error());
  return Runner<Daemon, Settings>(paths, **loop, log, **daemon).run();
}

// What the command line says in place of the settings.
Outcome<void> apply_options(const UpOptions& options, LinkSettings& link) {
  link.lab_h2_window = options.lab_h2_window;
  const std::string& given = options.rekey_window;
  if (given.empty()) return {};
  if (given == "auto") {
    link.rekey_window.reset();
    return {};
  }
  std::uint16_t window = 0;
  const char* const end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, window);
  if (error != std::errc() || stop != end || window < keys::kRekeyWindowMin ||
      window > keys::kRekeyWindowMax) {
    return std::unexpected(Failure{
        "--rekey-window " + given + " is neither auto nor a number from 1 to 512", kExitUsage});
  }
  link.rekey_window = window;
  return {};
}

}  // namespace

int up(const Paths& paths, const UpOptions& options) {
  std::error_code ignored;
  const bool server = std::filesystem::exists(paths.server_settings(), ignored);
  const bool client = std::filesystem::exists(paths.client_settings(), ignored);
  if (server && client) {
    return fail({paths.config.string() + " holds both server.toml and client.toml; keep one role "
                                         "per directory and name it with --dir",
                 kExitUsage});
  }
  if (!server && !client) {
    return fail(nothing_here(paths));
  }
  if (server) {
    auto settings = load_server_settings(paths);
    if (!settings) return fail(settings.error());
    if (const auto good = apply_options(options, settings->link); !good) return fail(good.error());
    return run_role<ServerDaemon>(paths, *settings);
  }
  auto settings = load_client_settings(paths);
  if (!settings) return fail(settings.error());
  if (const auto good = apply_options(options, settings->link); !good) return fail(good.error());
  return run_role<ClientDaemon>(paths, *settings);
}

}  // namespace karst::app
