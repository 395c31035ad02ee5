#include "wire/bech32m.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "wire/node_id.h"

namespace karst::wire {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

// The strings of BIP 350, "Test vectors for Bech32m", whose data are whole bytes.
TEST(Bech32m, the_valid_vectors_of_bip_350_decode_and_encode_again) {
  for (const std::string text :
       {"A1LQFN3A", "a1lqfn3a",
        "an83characterlonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11sg7hg"
        "6",
        "abcdef1l7aum6echk45nj3s0wdvt2fg8x9yrzpqzd3ryx",
        "split1checkupstagehandshakeupstreamerranterredcaperredlc445v", "?1v759aa"}) {
    const std::string human_readable = lower(text.substr(0, text.rfind('1')));
    const auto bytes = bech32m_decode(human_readable, text);
    ASSERT_TRUE(bytes.ok()) << text;
    EXPECT_EQ(bech32m(human_readable, *bytes), lower(text));
  }
}

TEST(Bech32m, a_vector_of_bip_350_whose_last_bits_are_not_zero_is_refused) {
  // 82 symbols of all ones: 51 bytes and two bits that are set.
  EXPECT_FALSE(bech32m_decode("1", "11" + std::string(82, 'l') + "ludsr8").ok());
}

// All but those whose human-readable part is not printable: ours is fixed by the caller.
TEST(Bech32m, the_invalid_vectors_of_bip_350_are_refused) {
  for (const std::string text :
       {"an84characterslonghumanreadablepartthatcontainsthetheexcludedcharactersbioandnumber11d6pts"
        "4",
        "qyrz8wqd2c9m", "1qyrz8wqd2c9m", "y1b0jsk6g", "lt1igcx5c0", "in1muywd", "mm1crxm3i",
        "au1s5cgom", "M1VUXWEZ", "16plkw9", "1p2gdwpf"}) {
    const std::size_t separator = text.rfind('1');
    const std::string part =
        separator == std::string::npos ? "qyrz" : lower(text.substr(0, separator));
    EXPECT_FALSE(bech32m_decode(part, text).ok()) << text;
  }
}

TEST(Bech32m, any_length_of_bytes_comes_back) {
  for (std::size_t size = 0; size <= 50; ++size) {
    ByteVector bytes(size);
    Prng(size).fill(bytes);
    EXPECT_EQ(bech32m_decode("x", bech32m("x", bytes)).value(), bytes);
  }
}

TEST(NodeId, any_single_mistyped_character_is_found) {
  NodeId id;
  Prng(9).fill(id.bytes);
  const std::string text = id.text();
  EXPECT_EQ(text.size(), 64u);
  EXPECT_TRUE(text.starts_with("karst1"));
  EXPECT_EQ(NodeId::parse(text).value(), id);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int c = 0; c < 256; ++c) {
      std::string typo = text;
      typo[i] = static_cast<char>(c);
      if (typo != text) {
        EXPECT_FALSE(NodeId::parse(typo).ok()) << typo;
      }
    }
  }
}

// The line of docs/protocol/session.md, Test vectors.
TEST(NodeId, its_text_is_what_the_protocol_page_prints) {
  NodeId id;
  for (std::size_t i = 0; i < 32; ++i) id.bytes[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(id.text(), "karst1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0sq23l4f");
}

TEST(NodeId, upper_case_is_accepted_and_mixed_case_is_not) {
  NodeId id;
  Prng(10).fill(id.bytes);
  std::string text = id.text();
  for (char& c : text) c = static_cast<char>(c >= 'a' ? c - 32 : c);
  EXPECT_EQ(NodeId::parse(text).value(), id);
  text[0] = 'k';
  EXPECT_FALSE(NodeId::parse(text).ok());
}

TEST(NodeId, another_length_of_bytes_or_another_name_is_refused) {
  EXPECT_FALSE(NodeId::parse(bech32m("karst", ByteVector(31))).ok());
  EXPECT_TRUE(NodeId::parse(bech32m("karst", ByteVector(32))).ok());
  EXPECT_FALSE(NodeId::parse(bech32m("karst", ByteVector(33))).ok());
  EXPECT_FALSE(NodeId::parse(bech32m("karsu", ByteVector(32))).ok());
  EXPECT_FALSE(NodeId::parse("").ok());
}

}  // namespace
}  // namespace karst::wire
