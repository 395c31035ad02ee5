#include "app/invite_credential.h"

#include <gtest/gtest.h>

#include <string>

using namespace karst;
using namespace karst::app;

namespace {

const std::string kId = "000102030405060708090a0b0c0d0e0f";
const std::string kPsk(64, 'a');

TEST(InviteCredential, what_is_written_is_read_again) {
  wire::InviteId id;
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<std::uint8_t>(i);
  std::array<std::uint8_t, 32> bytes;
  bytes.fill(0xaa);
  const auto text = format_invite_credential(id, wire::ClientPsk::from_bytes(bytes));
  EXPECT_EQ(text.expose_text(), kId + " " + kPsk + "\n");
  const auto read = parse_invite_credential(text.expose_text());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->id, id);
  EXPECT_TRUE(equal(read->psk.expose(), bytes));
  EXPECT_TRUE(parse_invite_credential(kId + " " + kPsk).ok());
}

TEST(InviteCredential, anything_else_is_refused) {
  for (const std::string& text :
       {std::string(), kId, kId + " ", kId + kPsk, kId + "  " + kPsk, " " + kId + " " + kPsk,
        kId.substr(1) + " " + kPsk, kId + "0 " + kPsk, kId + " " + kPsk.substr(1),
        kId + " " + kPsk + "a", kId + " " + kPsk + "\n\n", kId + " " + kPsk + "\r\n",
        std::string(32, 'G') + " " + kPsk, std::string(32, 'A') + " " + kPsk,
        kId + " " + std::string(64, 'A')}) {
    EXPECT_TRUE(parse_invite_credential(text).error().is(kBadInviteFile)) << text;
  }
}

}  // namespace
