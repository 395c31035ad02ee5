#include "stream/tls/tls_context.h"

#include <gtest/gtest.h>
#include <openssl/err.h>

namespace karst::stream::tls {
namespace {

TEST(TlsContext, names_its_own_failure_whatever_failed_on_the_thread_before) {
  ERR_clear_error();
  const auto own = TlsContext::server({"", ""});
  ERR_raise(ERR_LIB_USER, 77);
  const auto after = TlsContext::server({"", ""});
  ASSERT_FALSE(own.ok() || after.ok());
  EXPECT_EQ(after.error().detail(), own.error().detail());
  ERR_raise(ERR_LIB_USER, 77);
  const auto client = TlsContext::client({PublicTrust{"no certificate"}, "site.example"});
  ASSERT_FALSE(client.ok());
  EXPECT_NE(client.error().detail(), 77);
}

}  // namespace
}  // namespace karst::stream::tls
