#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "platform/linux/control_frame.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

// A command's end of the control socket. Every call waits, for at most the patience it was given.
class ControlClient {
 public:
  static Result<ControlClient> connect(const std::string& path, Duration patience);
  // Sends one request and returns its answer. After an error the client is only to be destroyed.
  Result<std::string> ask(std::string_view request);

 private:
  ControlClient(UniqueFd fd, Duration patience) : fd_(std::move(fd)), patience_(patience) {}
  Result<void> wait(short events, TimePoint deadline);
  Result<void> send(std::string_view bytes, TimePoint deadline);
  Result<void> receive(std::string& bytes, TimePoint deadline);

  UniqueFd fd_;
  Duration patience_;
};

}  // namespace karst::platform
