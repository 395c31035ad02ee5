#include "platform/linux/boot_id.h"

#include <charconv>
#include <string>

#include "platform/linux/file_error.h"
#include "platform/linux/read_file.h"

namespace karst::platform {

Result<std::array<std::uint8_t, 16>> read_boot_id() {
  TRY_ASSIGN(const ByteVector file, read_file("/proc/sys/kernel/random/boot_id", 64));
  std::string digits(as_text(file));
  std::erase_if(digits, [](char c) { return c == '-' || c == '\n'; });
  std::array<std::uint8_t, 16> id;
  if (digits.size() != 2 * id.size()) return kFileSystem;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const char* at = digits.data() + 2 * i;
    if (std::from_chars(at, at + 2, id[i], 16).ptr != at + 2) return kFileSystem;
  }
  return id;
}

}  // namespace karst::platform
