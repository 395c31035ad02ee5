#include "app/advice.h"

#include <gtest/gtest.h>

#include "app/failure.h"
#include "driver/client_link.h"
#include "stream/client_tunnel.h"
#include "stream/proxy/open_result.h"
#include "stream/tls/error.h"

using namespace karst;
using app::advice;
using app::is_final;

namespace {

TEST(Advice, a_failure_that_a_person_can_mend_comes_with_what_to_do) {
  EXPECT_EQ(advice(stream::kNotAdmitted), "ask the server's keeper for a new invite");
  EXPECT_EQ(advice(driver::kReset), "");
}

TEST(Advice, how_a_connection_failed_decides_where_to_look) {
  using enum stream::proxy::OpenResult;
  const auto failed = [](stream::proxy::OpenResult how) {
    const Error error(driver::kCannotConnect, static_cast<int>(how));
    return app::describe(error) + "; " + std::string(advice(error));
  };
  EXPECT_EQ(failed(refused),
            "no connection to the server could be made: connection refused; is `karst up` running "
            "there, on that port?");
  EXPECT_EQ(failed(name_not_found),
            "no connection to the server could be made: name not found; check the name in "
            "client.toml and this machine's name server");
  EXPECT_EQ(failed(internal),
            "no connection to the server could be made: no name server answered, or something is "
            "wrong on this machine; check this machine's network and name server");
  EXPECT_EQ(failed(timed_out),
            "no connection to the server could be made: no answer in time; check the server's "
            "address, port and firewall; is it up?");
}

TEST(Advice, only_what_no_repetition_can_mend_is_final) {
  EXPECT_TRUE(is_final(stream::kNotAdmitted));
  EXPECT_TRUE(is_final(stream::tls::kPinMismatch));
  EXPECT_FALSE(is_final(driver::kCannotConnect));
  EXPECT_FALSE(is_final(driver::kReset));
}

}  // namespace
