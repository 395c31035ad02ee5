#include "keys/front_seal.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "crypto/reference_for_test.h"

namespace karst::keys {
namespace {

namespace ref = crypto::reference;
constexpr UnixTime kNow{1'800'000'000};

struct FrontSeal : testing::Test {
  SeededEntropy entropy{3};
  FrontSecret secret = FrontSecret::random(entropy);
  FrontSecret other_secret = FrontSecret::random(entropy);
  TlsExporter exporter = TlsExporter::random(entropy);
  TlsExporter other_exporter = TlsExporter::random(entropy);
  ByteVector text = to_vector(as_bytes("a handshake message"));
};

TEST_F(FrontSeal, of_the_stream_carrier_is_what_openssl_gives_by_hand) {
  for (const Direction direction : {Direction::client_to_server, Direction::server_to_client}) {
    const ByteVector key =
        ref::expand(ref::extract(exporter.expose(), {secret.expose()}), "karst/1 stream front seal",
                    ByteVector{static_cast<std::uint8_t>(direction)});
    EXPECT_EQ(seal_front_stream(secret, exporter, direction, text), ref::seal(key, text));
    EXPECT_EQ(open_front_stream(secret, exporter, direction, ref::seal(key, text)).value(), text);
  }
}

TEST_F(FrontSeal, of_the_datagram_carrier_is_what_openssl_gives_by_hand) {
  const ByteVector sealed = seal_front_datagram(secret, Direction::server_to_client, text, entropy);
  const Bytes salt = Bytes(sealed).first(32);
  const ByteVector key = ref::expand(ref::extract(salt, {secret.expose()}),
                                     "karst/1 datagram front seal", ByteVector{2});
  EXPECT_EQ(sealed, ref::join({salt, ref::seal(key, text)}));
  EXPECT_EQ(open_front_datagram(secret, Direction::server_to_client, sealed).value(), text);
}

TEST_F(FrontSeal, opens_only_with_the_same_secret_connection_and_direction) {
  const ByteVector sealed = seal_front_stream(secret, exporter, Direction::client_to_server, text);
  const auto opens = [&](const FrontSecret& s, const TlsExporter& e, Direction d) {
    return open_front_stream(s, e, d, sealed).ok();
  };
  EXPECT_TRUE(opens(secret, exporter, Direction::client_to_server));
  EXPECT_FALSE(opens(other_secret, exporter, Direction::client_to_server));
  EXPECT_FALSE(opens(secret, other_exporter, Direction::client_to_server));
  EXPECT_FALSE(opens(secret, exporter, Direction::server_to_client));
}

TEST_F(FrontSeal, refuses_every_changed_bit_and_every_other_length) {
  ByteVector sealed = seal_front_datagram(secret, Direction::client_to_server, text, entropy);
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    sealed[bit / 8] = static_cast<std::uint8_t>(sealed[bit / 8] ^ 1u << bit % 8);
    EXPECT_FALSE(open_front_datagram(secret, Direction::client_to_server, sealed).ok()) << bit;
    sealed[bit / 8] = static_cast<std::uint8_t>(sealed[bit / 8] ^ 1u << bit % 8);
  }
  for (std::size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_FALSE(
        open_front_datagram(secret, Direction::client_to_server, Bytes(sealed).first(size)).ok());
  }
  EXPECT_TRUE(open_front_datagram(secret, Direction::client_to_server, sealed).ok());
}

TEST_F(FrontSeal, two_datagrams_of_the_same_text_share_no_byte_run) {
  const ByteVector a = seal_front_datagram(secret, Direction::client_to_server, text, entropy);
  const ByteVector b = seal_front_datagram(secret, Direction::client_to_server, text, entropy);
  for (std::size_t i = 0; i + 4 <= a.size(); ++i) {
    EXPECT_FALSE(equal(Bytes(a).subspan(i, 4), Bytes(b).subspan(i, 4))) << i;
  }
}

TEST_F(FrontSeal, a_server_opens_with_the_old_secret_until_its_overlap_ends) {
  FrontSecrets secrets(secret.duplicate(), 4);
  const ByteVector old = seal_front_datagram(secret, Direction::client_to_server, text, entropy);
  secrets.rotate(other_secret.duplicate(), {kNow.seconds + 10});
  const ByteVector fresh =
      seal_front_datagram(other_secret, Direction::client_to_server, text, entropy);

  EXPECT_EQ(OpenedDatagram::open(secrets, fresh, kNow)->access.generation(), 5u);
  EXPECT_EQ(OpenedDatagram::open(secrets, old, {kNow.seconds + 9})->access.generation(), 4u);
  EXPECT_FALSE(OpenedDatagram::open(secrets, old, {kNow.seconds + 10}).ok());
}

TEST(HourAccepted, takes_the_hour_before_this_one_and_the_next) {
  const std::int64_t hour = kNow.seconds / 3600 * 3600;
  for (const std::int64_t now : {hour, hour + 1800, hour + 3599}) {
    EXPECT_FALSE(hour_accepted({hour - 3601}, {now}));
    EXPECT_TRUE(hour_accepted({hour - 3600}, {now}));
    EXPECT_TRUE(hour_accepted({hour}, {now}));
    EXPECT_TRUE(hour_accepted({hour + 7199}, {now}));
    EXPECT_FALSE(hour_accepted({hour + 7200}, {now}));
  }
}

}  // namespace
}  // namespace karst::keys
