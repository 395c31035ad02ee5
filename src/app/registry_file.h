#pragma once

#include <filesystem>

#include "driver/server_node.h"
#include "platform/linux/worker.h"

namespace karst::app {

// The client registry on disk: each version replaces the one before as a whole, written by a
// thread that may wait for the disk. `worker` is borrowed.
class RegistryFile final : public driver::RegistryStore {
 public:
  RegistryFile(std::filesystem::path file, platform::Worker& worker)
      : file_(std::move(file)), worker_(worker) {}

  void store(const crypto::SecretBytes& text,
             std::move_only_function<void(keys::WriteOutcome)> done) override;

  // Writes at once: for commands that run without a daemon.
  static keys::WriteOutcome write(const std::filesystem::path& file, Bytes text);

 private:
  const std::filesystem::path file_;
  platform::Worker& worker_;
};

}  // namespace karst::app
