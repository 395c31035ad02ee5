#include "platform/linux/io_error.h"

#include <cerrno>

#include "driver/ports.h"

namespace karst::platform {

Error io_error(int errno_value) {
  switch (errno_value) {
    case EAGAIN:
      return driver::kWouldBlock;
    case ECONNREFUSED:
      return driver::kRefused;
    case EHOSTUNREACH:
    case EHOSTDOWN:
      return driver::kHostUnreachable;
    case ENETUNREACH:
    case ENETDOWN:
    case EAFNOSUPPORT:
      return driver::kNetUnreachable;
    case ETIMEDOUT:
      return driver::kTimedOut;
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
      return driver::kReset;
    case EADDRINUSE:
      return driver::kAddressInUse;
    case EADDRNOTAVAIL:
      return driver::kAddressNotAvailable;
    case EACCES:
    case EPERM:
      return driver::kPermission;
    case EMFILE:
    case ENFILE:
      return driver::kTooManyFiles;
    default:
      return Error(driver::kSystem, errno_value);
  }
}

}  // namespace karst::platform
