#pragma once

#include "driver/ports.h"

namespace karst::platform {

// TCP_INFO of a socket; all zero when the kernel does not answer.
driver::TcpInfo read_tcp_info(int fd);

}  // namespace karst::platform
