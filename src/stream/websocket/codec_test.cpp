#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/prng.h"
#include "stream/websocket/decoder.h"
#include "stream/websocket/encoder.h"

namespace karst::stream::websocket {
namespace {

struct Told {
  Opcode opcode;
  ByteVector payload;
  std::uint16_t close_code = 0;
  bool operator==(const Told&) const = default;
};

struct Outcome {
  std::vector<Told> messages;
  const ErrorKind* error = nullptr;
  std::int64_t close_code = 0;
  bool operator==(const Outcome&) const = default;
};

// Feeds the stream in pieces of at most `cut` bytes.
Outcome decode_all(Decoder& decoder, Bytes stream, std::size_t cut) {
  Outcome outcome;
  while (!stream.empty()) {
    Bytes piece = stream.first(std::min(cut, stream.size()));
    stream = stream.subspan(piece.size());
    for (;;) {
      const auto message = decoder.decode(piece);
      if (!message.ok()) {
        outcome.error = &message.error().kind();
        outcome.close_code = message.error().detail();
        return outcome;
      }
      if (!*message) break;
      outcome.messages.push_back(
          {(*message)->opcode, to_vector((*message)->payload), (*message)->close_code});
    }
    EXPECT_TRUE(piece.empty());
  }
  return outcome;
}

Outcome decode_all(Role self, Bytes stream, std::size_t cut = 1 << 30,
                   std::size_t max = kMaxMessageBytes) {
  Decoder decoder(self, max);
  return decode_all(decoder, stream, cut);
}

ByteVector encoded(Encoder& encoder, Opcode opcode, Bytes payload) {
  ByteVector frame(encoder.frame_bytes(payload.size()));
  EXPECT_EQ(encoder.encode(opcode, payload, frame), frame.size());
  return frame;
}

Encoder encoder_of(Role role) { return Encoder(role, Prng(9)); }
Role peer_of(Role role) { return role == Role::client ? Role::server : Role::client; }

ByteVector random_bytes(std::size_t count, std::uint64_t seed) {
  ByteVector bytes(count);
  Prng(seed).fill(bytes);
  return bytes;
}

TEST(MaskCopy, equals_the_definition_for_every_length_alignment_and_phase) {
  const MaskKey key{0x12, 0x34, 0x56, 0x78};
  const ByteVector source = random_bytes(200, 1);
  for (std::size_t length = 0; length <= 100; ++length) {
    for (std::size_t offset = 0; offset < 9; ++offset) {
      const std::size_t phase = (length + offset) % 7;
      const Bytes from = Bytes(source).subspan(offset, length);
      ByteVector expected(length);
      for (std::size_t i = 0; i < length; ++i) expected[i] = from[i] ^ key[(phase + i) % 4];
      ByteVector out(length + 1, 0xee);
      mask_copy(out, from, key, phase);
      EXPECT_EQ(out.back(), 0xee);
      out.pop_back();
      ASSERT_EQ(out, expected);
      ByteVector in_place = to_vector(from);
      mask_copy(in_place, in_place, key, phase);
      ASSERT_EQ(in_place, expected);
    }
  }
}

// The examples of RFC 6455 section 5.7.
TEST(Decoder, reads_the_examples_of_the_rfc) {
  const Told hello{Opcode::text, to_vector(as_bytes("Hello"))};
  EXPECT_EQ(decode_all(Role::client, ByteVector{0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f}).messages,
            std::vector{hello});
  EXPECT_EQ(decode_all(Role::server,
                       ByteVector{0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58})
                .messages,
            std::vector{hello});
  EXPECT_EQ(
      decode_all(Role::client, ByteVector{0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f})
          .messages,
      std::vector{hello});
}

TEST(Encoder, writes_the_examples_of_the_rfc) {
  Encoder server = encoder_of(Role::server);
  EXPECT_EQ(encoded(server, Opcode::text, as_bytes("Hello")),
            (ByteVector{0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f}));
  EXPECT_EQ(encoded(server, Opcode::ping, as_bytes("Hello")),
            (ByteVector{0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f}));
  const ByteVector big = encoded(server, Opcode::binary, ByteVector(256));
  EXPECT_EQ(to_vector(Bytes(big).first(4)), (ByteVector{0x82, 0x7e, 0x01, 0x00}));
  const ByteVector huge = encoded(server, Opcode::binary, ByteVector(65536));
  EXPECT_EQ(to_vector(Bytes(huge).first(10)), (ByteVector{0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0}));
}

TEST(Encoder, a_client_masks_with_a_new_key_each_time) {
  Encoder client = encoder_of(Role::client);
  const ByteVector payload(8);
  const ByteVector first = encoded(client, Opcode::binary, payload);
  const ByteVector second = encoded(client, Opcode::binary, payload);
  EXPECT_EQ(first[1], 0x88);
  EXPECT_NE(first, second);
  EXPECT_NE(to_vector(Bytes(first).subspan(6)), payload);
}

TEST(Encoder, a_tunnel_message_of_16367_bytes_has_8_bytes_of_header) {
  EXPECT_EQ(encoder_of(Role::client).header_bytes(16'367), 8u);
  EXPECT_EQ(encoder_of(Role::server).header_bytes(16'367), 4u);
}

TEST(Codec, what_one_end_writes_the_other_reads_at_every_length_of_the_header) {
  for (const Role role : {Role::client, Role::server}) {
    Encoder encoder = encoder_of(role);
    for (const std::size_t size : {0u, 1u, 125u, 126u, 127u, 65'535u, 65'536u, 1'048'576u}) {
      const ByteVector payload = random_bytes(size, size);
      const ByteVector copied = encoded(encoder, Opcode::binary, payload);
      ByteVector in_place(encoder.frame_bytes(size));
      std::ranges::copy(payload, in_place.end() - static_cast<std::ptrdiff_t>(size));
      encoder.encode_in_place(Opcode::binary, in_place);
      for (const ByteVector& frame : {copied, in_place}) {
        const Outcome outcome = decode_all(peer_of(role), frame);
        ASSERT_EQ(outcome.error, nullptr);
        ASSERT_EQ(outcome.messages, (std::vector{Told{Opcode::binary, payload}}));
      }
    }
  }
}

TEST(Codec, how_the_stream_is_cut_changes_nothing) {
  for (const Role role : {Role::client, Role::server}) {
    Encoder encoder = encoder_of(role);
    ByteVector stream;
    std::vector<Told> sent;
    for (const std::size_t size : {0u, 5u, 300u, 70'000u, 16'367u, 1u}) {
      sent.push_back({Opcode::binary, random_bytes(size, size)});
      sent.push_back({Opcode::ping, random_bytes(size % 126, size)});
    }
    for (const Told& message : sent) {
      const ByteVector frame = encoded(encoder, message.opcode, message.payload);
      stream.insert(stream.end(), frame.begin(), frame.end());
    }
    for (const std::size_t cut : {1u, 2u, 3u, 7u, 1'000u, 16'384u, 1'000'000u}) {
      const Outcome outcome = decode_all(peer_of(role), stream, cut);
      EXPECT_EQ(outcome.error, nullptr);
      EXPECT_EQ(outcome.messages, sent) << cut;
    }
  }
}

TEST(Decoder, nothing_comes_of_nothing) {
  Decoder decoder(Role::client);
  Bytes whole = as_bytes(std::string_view("\x82\x00", 2));
  EXPECT_TRUE((*decoder.decode(whole)).has_value());
  Bytes none;
  EXPECT_FALSE((*decoder.decode(none)).has_value());
  EXPECT_FALSE((*decoder.decode(none)).has_value());
}

TEST(Decoder, a_whole_message_from_a_server_is_borrowed_from_the_input) {
  Encoder server = encoder_of(Role::server);
  const ByteVector frame = encoded(server, Opcode::binary, random_bytes(16'371, 3));
  Decoder decoder(Role::client);
  Bytes input = frame;
  const auto message = decoder.decode(input);
  EXPECT_EQ((*message)->payload.data(), frame.data() + 4);
  EXPECT_EQ(decoder.held_bytes(), 0u);
}

struct Refusal {
  const char* what;
  Role self;
  ByteVector stream;
  const ErrorKind* error;
  std::uint16_t close_code;
};

std::vector<Refusal> refusals() {
  std::vector<Refusal> cases{
      {"unmasked from a client", Role::server, {0x82, 0x00}, &kBadMasking, 1002},
      {"masked from a server", Role::client, {0x82, 0x80, 1, 2, 3, 4}, &kBadMasking, 1002},
      {"ping of 126", Role::client, {0x89, 0x7e, 0, 126}, &kBadControlFrame, 1002},
      {"ping in fragments", Role::client, {0x09, 0x00}, &kBadControlFrame, 1002},
      {"close in fragments", Role::client, {0x08, 0x00}, &kBadControlFrame, 1002},
      {"16 bits for 125", Role::client, {0x82, 0x7e, 0, 125}, &kBadLength, 1002},
      {"64 bits for 65535",
       Role::client,
       {0x82, 0x7f, 0, 0, 0, 0, 0, 0, 255, 255},
       &kBadLength,
       1002},
      {"the top bit of 64",
       Role::client,
       {0x82, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 0},
       &kBadLength,
       1002},
      {"a continuation of nothing", Role::client, {0x80, 0x00}, &kBadContinuation, 1002},
      {"a message inside another", Role::client, {0x02, 0x00, 0x82, 0x00}, &kBadContinuation, 1002},
      {"a text that is not", Role::client, {0x81, 0x01, 0xff}, &kBadText, 1007},
      {"a text cut within a letter", Role::client, {0x81, 0x01, 0xc3}, &kBadText, 1007},
      {"a close of one byte", Role::client, {0x88, 0x01, 0x03}, &kBadClose, 1002},
      {"a close reason that is not text",
       Role::client,
       {0x88, 0x03, 0x03, 0xe8, 0xff},
       &kBadText,
       1007},
      {"a message over the limit",
       Role::client,
       {0x82, 0x7f, 0, 0, 0, 0, 0, 0x10, 0, 1},
       &kTooBig,
       1009},
  };
  for (const int bit : {0x10, 0x20, 0x40}) {
    cases.push_back({"reserved bit",
                     Role::client,
                     {static_cast<std::uint8_t>(0x82 | bit), 0},
                     &kReservedBits,
                     1002});
  }
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    cases.push_back(
        {"opcode", Role::client, {static_cast<std::uint8_t>(0x80 | opcode), 0}, &kBadOpcode, 1002});
  }
  return cases;
}

TEST(Decoder, every_breach_has_its_name_and_close_code_and_ends_the_stream) {
  for (const Refusal& refusal : refusals()) {
    for (const std::size_t cut : {1u, 100u}) {
      Decoder decoder(refusal.self);
      const Outcome outcome = decode_all(decoder, refusal.stream, cut);
      ASSERT_EQ(outcome.error, refusal.error) << refusal.what;
      EXPECT_EQ(outcome.close_code, refusal.close_code) << refusal.what;
      Bytes more = as_bytes(std::string_view("\x82\x00", 2));
      const auto again = decoder.decode(more);
      EXPECT_TRUE(more.empty());
      EXPECT_TRUE(again.error().is(*refusal.error)) << refusal.what;
    }
  }
}

TEST(Decoder, only_close_codes_that_may_be_sent_are_taken) {
  for (std::uint32_t code = 0; code <= 0xffff; ++code) {
    const bool allowed = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
                         (code >= 3000 && code <= 4999);
    const ByteVector frame{0x88, 0x02, static_cast<std::uint8_t>(code >> 8),
                           static_cast<std::uint8_t>(code)};
    const Outcome outcome = decode_all(Role::client, frame);
    ASSERT_EQ(outcome.error == nullptr, allowed) << code;
    if (allowed) {
      ASSERT_EQ(outcome.messages,
                (std::vector{Told{Opcode::close, {}, static_cast<std::uint16_t>(code)}}));
    }
  }
}

TEST(Codec, a_close_carries_code_and_reason_and_nothing_follows_it) {
  for (const Role role : {Role::client, Role::server}) {
    Encoder encoder = encoder_of(role);
    ByteVector space(kMaxHeaderBytes + kMaxControlBytes);
    const std::string reason(123, 'r');
    ByteVector stream =
        to_vector(Bytes(space).first(encoder.encode_close(kCloseGoingAway, reason, space)));
    const ByteVector after = encoded(encoder, Opcode::binary, as_bytes("late"));
    stream.insert(stream.end(), after.begin(), after.end());
    const Outcome outcome = decode_all(peer_of(role), stream);
    EXPECT_EQ(outcome.messages,
              (std::vector{Told{Opcode::close, to_vector(as_bytes(reason)), kCloseGoingAway}}));
    const std::size_t bare = encoder.encode_close(kCloseNone, "", space);
    EXPECT_EQ(decode_all(peer_of(role), Bytes(space).first(bare)).messages,
              (std::vector{Told{Opcode::close, {}, kCloseNone}}));
  }
}

TEST(Decoder, the_size_limit_holds_for_one_frame_and_for_the_sum_of_fragments) {
  for (const std::size_t size : {99u, 100u, 101u}) {
    Encoder server = encoder_of(Role::server);
    const ByteVector whole = encoded(server, Opcode::binary, ByteVector(size));
    EXPECT_EQ(decode_all(Role::client, whole, 1000, 100).error, size > 100 ? &kTooBig : nullptr);
    ByteVector fragments{0x02, 50};
    fragments.resize(52);
    fragments.push_back(0x80);
    fragments.push_back(static_cast<std::uint8_t>(size - 50));
    fragments.resize(fragments.size() + size - 50);
    EXPECT_EQ(decode_all(Role::client, fragments, 1000, 100).error,
              size > 100 ? &kTooBig : nullptr);
  }
}

TEST(Decoder, a_message_has_1024_fragments_at_most) {
  for (const std::size_t count : {1023u, 1024u, 1025u}) {
    ByteVector stream{0x02, 0x00};
    for (std::size_t i = 2; i < count; ++i) stream.insert(stream.end(), {0x00, 0x00});
    stream.insert(stream.end(), {0x80, 0x00});
    const Outcome outcome = decode_all(Role::client, stream);
    EXPECT_EQ(outcome.error, count > 1024 ? &kTooManyFragments : nullptr) << count;
    EXPECT_EQ(outcome.messages.size(), count > 1024 ? 0u : 1u);
  }
}

TEST(Decoder, memory_follows_what_came_and_not_what_was_announced) {
  Decoder decoder(Role::server);
  // A masked message of 1 MiB is announced; 10 bytes of it come.
  ByteVector stream{0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 2, 3, 4};
  stream.resize(stream.size() + 10);
  EXPECT_EQ(decode_all(decoder, stream, 1000).error, nullptr);
  EXPECT_LE(decoder.held_bytes(), 64u * 1024);
  const ByteVector rest(1024 * 1024 - 10);
  Bytes input = rest;
  EXPECT_TRUE((*decoder.decode(input)).has_value());
  EXPECT_EQ(decoder.held_bytes(), kMaxMessageBytes);
  Bytes none;
  EXPECT_FALSE((*decoder.decode(none)).has_value());
  EXPECT_EQ(decoder.held_bytes(), 0u);
}

}  // namespace
}  // namespace karst::stream::websocket
