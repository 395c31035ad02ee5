#include "platform/linux/control_frame.h"

#include "base/reader.h"
#include "base/writer.h"

namespace karst::platform {

std::array<std::uint8_t, kControlHeaderBytes> control_header(std::size_t length) {
  std::array<std::uint8_t, kControlHeaderBytes> header;
  Writer(header).u32(static_cast<std::uint32_t>(length));
  return header;
}

std::size_t control_length(std::string_view header) { return Reader(as_bytes(header)).u32(); }

}  // namespace karst::platform
