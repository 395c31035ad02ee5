#include "app/registry_file.h"

#include <memory>
#include <utility>

#include "platform/linux/atomic_write.h"

namespace karst::app {

keys::WriteOutcome RegistryFile::write(const std::filesystem::path& file, Bytes text) {
  const auto written = platform::atomic_write(file.string(), text, platform::FileAccess::secret);
  return written.ok() ? keys::WriteOutcome::durable : keys::WriteOutcome::failed;
}

void RegistryFile::store(const crypto::SecretBytes& text,
                         std::move_only_function<void(keys::WriteOutcome)> done) {
  struct Job {
    crypto::SecretBytes text;
    keys::WriteOutcome outcome = keys::WriteOutcome::failed;
  };
  auto job = std::make_shared<Job>(crypto::SecretBytes(text.size()));
  job->text.append(text.expose());
  worker_.run([job, file = file_] { job->outcome = write(file, job->text.expose()); },
              [job, done = std::move(done)]() mutable { done(job->outcome); });
}

}  // namespace karst::app
