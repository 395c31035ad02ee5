#include "app/daemon_client.h"

#include "platform/linux/control_client.h"

namespace karst::app {

Outcome<std::optional<std::string>> ask_daemon(const Paths& paths, const ControlRequest& request) {
  auto client =
      platform::ControlClient::connect(paths.control().string(), std::chrono::seconds(10));
  if (!client.ok()) {
    if (client.error().is(platform::kDaemonNotRunning)) return std::nullopt;
    return std::unexpected(Failure{describe(client.error())});
  }
  auto answer = client->ask(format_request(request));
  if (!answer.ok()) return std::unexpected(Failure{describe(answer.error())});
  return std::move(*answer);
}

}  // namespace karst::app
