#include "platform/linux/io_error.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "driver/ports.h"

namespace karst::platform {
namespace {

TEST(IoError, gives_each_errno_the_name_that_the_ports_promise) {
  const struct {
    int value;
    const ErrorKind& kind;
  } table[] = {
      {EAGAIN, driver::kWouldBlock},
      {ECONNREFUSED, driver::kRefused},
      {EHOSTUNREACH, driver::kHostUnreachable},
      {EHOSTDOWN, driver::kHostUnreachable},
      {ENETUNREACH, driver::kNetUnreachable},
      {ENETDOWN, driver::kNetUnreachable},
      {EAFNOSUPPORT, driver::kNetUnreachable},
      {ETIMEDOUT, driver::kTimedOut},
      {ECONNRESET, driver::kReset},
      {ECONNABORTED, driver::kReset},
      {EPIPE, driver::kReset},
      {EADDRINUSE, driver::kAddressInUse},
      {EADDRNOTAVAIL, driver::kAddressNotAvailable},
      {EACCES, driver::kPermission},
      {EPERM, driver::kPermission},
      {EMFILE, driver::kTooManyFiles},
      {ENFILE, driver::kTooManyFiles},
  };
  for (const auto& row : table) EXPECT_TRUE(io_error(row.value).is(row.kind)) << row.value;
}

TEST(IoError, keeps_the_number_of_an_errno_without_a_name) {
  EXPECT_TRUE(io_error(EMSGSIZE).is(driver::kSystem));
  EXPECT_EQ(io_error(EMSGSIZE).detail(), EMSGSIZE);
}

}  // namespace
}  // namespace karst::platform
