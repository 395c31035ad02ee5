// A peer that holds all its keys and sends each message wrong in one way.
#include <gtest/gtest.h>

#include "keys/handshake_by_hand_for_test.h"

namespace karst::keys {
namespace {

using by_hand::Change;
using by_hand::RawRecord;
using by_hand::unchanged;

template <class T>
const ErrorKind* error_of(const Result<T>& result) {
  return result ? nullptr : &result.error().kind();
}
std::string_view name_of(const ErrorKind* kind) { return kind == nullptr ? "ok" : kind->name; }

// Makes a record exactly `size` bytes long, with `behind` more to come after the padding.
void pad_to(RawRecord& record, std::size_t size, std::size_t behind = 0) {
  record.at(254).value.clear();
  record.at(254).value.resize(size - behind - record.bytes().size());
}
constexpr std::size_t kSignatureField = 6 + 3373;

struct Case {
  const ErrorKind* error;
  Change change;
};

// ------------------------------------------------------------------------------- M1

const ErrorKind* judge_m1(const Change& change) {
  HandshakeWorld world;
  by_hand::Client client(world);
  const ByteVector m1 = client.m1(change);
  return error_of(world.answer(client.connection, m1));
}

TEST(M1FromAHostileClient, is_refused_by_name) {
  const Case cases[] = {
      {nullptr, unchanged},
      {nullptr, [](RawRecord& r) { r.insert({0, 77, {1, 2, 3}}); }},  // unknown, not critical
      {&wire::kFieldUnknown, [](RawRecord& r) { r.insert({1, 77, {}}); }},
      {&wire::kFieldFlags, [](RawRecord& r) { r.at(2).flags = 3; }},
      {&wire::kFieldOrder, [](RawRecord& r) { std::swap(r.fields[1], r.fields[2]); }},
      {&wire::kFieldOrder, [](RawRecord& r) { r.fields.push_back(r.fields.back()); }},
      {&wire::kFieldValue, [](RawRecord& r) { r.at(10).value = {0, 0, 0, 16}; }},
      {&wire::kSuiteUnknown, [](RawRecord& r) { r.at(1).value = {0, 9}; }},
      {&kWindowOutOfRange, [](RawRecord& r) { r.at(8).value = {0, 0}; }},
      {&kWindowOutOfRange, [](RawRecord& r) { r.at(8).value = {2, 1}; }},
      {&kPolicyOutOfRange, [](RawRecord& r) { r.at(9).value[19] = r.at(9).value[18] = 0; }},
      {&crypto::kBadPublicKey, [](RawRecord& r) { r.at(6).value = ByteVector(32); }},
      {&crypto::kBadPublicKey, [](RawRecord& r) { r.at(7).value = ByteVector(1568, 0xff); }},
      {&wire::kFieldUnexpected, [](RawRecord& r) { r.insert({1, 4, ByteVector(8)}); }},
      {&kCarrierMismatch,
       [](RawRecord& r) {
         r.at(3).value = {2};
         r.insert({1, 4, ByteVector(8)});
         r.insert({1, 5, ByteVector(3)});
       }},
      {nullptr, [](RawRecord& r) { pad_to(r, 4'095); }},
      {nullptr, [](RawRecord& r) { pad_to(r, 4'096); }},
      {&wire::kRecordTooLong, [](RawRecord& r) { pad_to(r, 4'097); }},
  };
  for (const Case& c : cases) {
    const ErrorKind* error = judge_m1(c.change);
    EXPECT_EQ(error, c.error) << (&c - cases) << ": " << name_of(error);
  }
}

TEST(M1FromAHostileClient, is_measured_before_it_is_opened) {
  HandshakeWorld world;
  for (const std::size_t over : {0u, 1u}) {
    const ByteVector noise(wire::kM1BytesMax + kFrontSealTagBytes + over, 0x55);
    EXPECT_EQ(error_of(world.answer(world.new_connection(), noise)),
              over == 0 ? &kFrontSealBroken : &wire::kRecordTooLong);
  }
}

// ------------------------------------------------------------------------------- M2

const ErrorKind* judge_m2(const Change& clear, const Change& sealed,
                          std::string_view label = by_hand::kServerLabel,
                          LocalAdvert local = HandshakeWorld().client_local) {
  HandshakeWorld world;
  world.client_local = local;
  by_hand::Server server(world);
  ClientHello hello = server.hello(world.by_psk());
  auto reply =
      std::move(hello.next).handle(server.m2(hello.m1, clear, sealed, label), world.entropy);
  if (!reply) return &reply.error().kind();
  server.add(server.read_m3(reply->m3));
  EXPECT_TRUE(server.has_same(reply->secrets));
  return nullptr;
}

TEST(M2FromAHostileServer, is_refused_by_name) {
  const Case cases[] = {
      {nullptr, unchanged},
      {nullptr, [](RawRecord& r) { r.insert({0, 77, {1, 2, 3}}); }},
      {&wire::kFieldUnknown, [](RawRecord& r) { r.insert({1, 77, {}}); }},
      {&wire::kFieldFlags, [](RawRecord& r) { r.at(3).flags = 5; }},
      {&wire::kFieldOrder, [](RawRecord& r) { std::swap(r.fields[2], r.fields[3]); }},
      {&wire::kFieldValue, [](RawRecord& r) { r.at(6).value = {0x80, 0, 0, 0}; }},
      {&wire::kFieldValue, [](RawRecord& r) { r.at(8).value = ByteVector(8); }},
      {&wire::kFieldMissing, [](RawRecord& r) { r.erase(3); }},
      {&kCarrierMismatch, [](RawRecord& r) { r.insert({1, 2, {1, 2, 3}}); }},
      {&kAeadMismatch, [](RawRecord& r) { r.at(7).value = {2}; }},
      {&kWindowOutOfRange, [](RawRecord& r) { r.at(4).value = {0, 0}; }},
      {&kWindowOutOfRange, [](RawRecord& r) { r.at(4).value = {2, 1}; }},
      {&kPolicyOutOfRange, [](RawRecord& r) { r.at(5).value[0] = 1; }},
      {&kWrongServer, [](RawRecord& r) { r.at(1).value[0] ^= 1; }},
      {&kWrongServer, [](RawRecord& r) { r.at(1).value[1'000] ^= 1; }},
  };
  for (const Case& c : cases) {
    const ErrorKind* error = judge_m2(unchanged, c.change);
    EXPECT_EQ(error, c.error) << (&c - cases) << ": " << name_of(error);
  }
}

TEST(M2FromAHostileServer, is_refused_for_its_clear_part) {
  const Case cases[] = {
      {nullptr, unchanged},
      {nullptr, [](RawRecord& r) { r.insert({0, 77, {1, 2, 3}}); }},
      {&wire::kFieldUnknown, [](RawRecord& r) { r.insert({1, 77, {}}); }},
      {&wire::kRecordKind, [](RawRecord& r) { r.kind = 3; }},
      {&wire::kFieldSize, [](RawRecord& r) { r.at(2).value.pop_back(); }},
      {&crypto::kBadPublicKey, [](RawRecord& r) { r.at(1).value = ByteVector(32); }},
      // A wrong ciphertext of the right length gives another secret (implicit rejection).
      {&kHandshakeSealBroken, [](RawRecord& r) { r.at(2).value[5] ^= 1; }},
  };
  for (const Case& c : cases) {
    const ErrorKind* error = judge_m2(c.change, unchanged);
    EXPECT_EQ(error, c.error) << (&c - cases) << ": " << name_of(error);
  }
}

TEST(M2FromAHostileServer, must_be_signed_as_a_server) {
  EXPECT_EQ(judge_m2(unchanged, unchanged, by_hand::kClientLabel), &crypto::kBadSignature);
  EXPECT_EQ(judge_m2(unchanged, unchanged, "karst/1 server signaturE"), &crypto::kBadSignature);
}

TEST(M2FromAHostileServer, is_at_most_10240_bytes_with_its_tag) {
  constexpr std::size_t kClear = 3 + 6 + 32 + 6 + 1568;
  for (const std::size_t size : {10'239u, 10'240u, 10'241u}) {
    EXPECT_EQ(
        judge_m2(unchanged, [&](RawRecord& r) { pad_to(r, size - kClear - 16, kSignatureField); }),
        size <= 10'240 ? nullptr : &wire::kRecordTooLong)
        << size;
  }
}

TEST(M2FromAHostileServer, is_measured_before_it_is_opened) {
  HandshakeWorld world;
  for (const std::size_t over : {0u, 1u}) {
    ClientHello hello = world.hello(world.new_connection(), world.by_psk());
    const ByteVector noise(wire::kM2BytesMax + kFrontSealTagBytes + over, 0x55);
    EXPECT_EQ(error_of(std::move(hello.next).handle(noise, world.entropy)),
              over == 0 ? &kFrontSealBroken : &wire::kRecordTooLong);
  }
}

TEST(M2FromAHostileServer, below_the_clients_floor_is_refused) {
  LocalAdvert strict = HandshakeWorld().client_local;
  strict.policy = strict.policy_floor = kBrisk;
  EXPECT_EQ(judge_m2(unchanged, unchanged, by_hand::kServerLabel, strict), &kPolicyBelowFloor);
}

// ------------------------------------------------------------------------------- M3

struct M3FromAHostileClient : testing::Test {
  HandshakeWorld world;
  by_hand::Client client{world};
  ServerAnswer answer = *world.answer(client.connection, client.m1());

  M3FromAHostileClient() {
    CHECK(world.registry.add_client(client.node(), "mallory", world.psk.duplicate(), {}).ok());
    world.settle();
    client.add(client.read_m2(answer.m2));
  }
  const ErrorKind* judge(Bytes message) {
    auto peer = std::move(answer.next).handle(message, world.registry, kWorldNow, world.entropy);
    if (!peer) return &peer.error().kind();
    EXPECT_TRUE(client.has_same(peer->take_secrets()));
    return nullptr;
  }
  const ErrorKind* judge(const Change& change, std::string_view label = by_hand::kClientLabel) {
    RawRecord record = client.m3_by_psk();
    change(record);
    return judge(client.m3(std::move(record), label));
  }
  // For another case: a new handshake from M1 on.
  void again() {
    world.now += std::chrono::seconds(1);
    client.transcript = by_hand::join(
        {by_hand::lp(as_bytes("karst/1")), ByteVector{1}, by_hand::lp(client.exporter)});
    ServerAnswer fresh = *world.answer(client.connection, client.m1());
    client.add(client.read_m2(fresh.m2));
    answer = std::move(fresh);
  }
};

TEST_F(M3FromAHostileClient, is_refused_by_name) {
  const Case cases[] = {
      {nullptr, unchanged},
      {nullptr, [](RawRecord& r) { r.insert({0, 77, {1, 2, 3}}); }},
      {&wire::kFieldUnknown, [](RawRecord& r) { r.insert({1, 77, {}}); }},
      {&wire::kFieldFlags, [](RawRecord& r) { r.at(254).flags = 1; }},
      {&wire::kFieldOrder, [](RawRecord& r) { std::swap(r.fields[0], r.fields[1]); }},
      {&wire::kFieldUnexpected, [](RawRecord& r) { r.insert({1, 3, ByteVector(16)}); }},
      {&wire::kFieldMissing, [](RawRecord& r) { r.erase(2); }},
      {&wire::kFieldValue, [](RawRecord& r) { r.at(2).value = {2}; }},
      {&wire::kFieldValue, [](RawRecord& r) { r.at(254).value = {1}; }},
      {&wire::kRecordKind, [](RawRecord& r) { r.kind = 3; }},
      {&kPskGenerationUnknown, [](RawRecord& r) { r.at(2).value = {1}; }},
      {&kClientUnknown, [](RawRecord& r) { r.at(1).value[7] ^= 1; }},
      {nullptr, [](RawRecord& r) { pad_to(r, 8'191, kSignatureField); }},
      {nullptr, [](RawRecord& r) { pad_to(r, 8'192, kSignatureField); }},
      {&wire::kRecordTooLong, [](RawRecord& r) { pad_to(r, 8'193, kSignatureField); }},
  };
  for (const Case& c : cases) {
    const ErrorKind* error = judge(c.change);
    EXPECT_EQ(error, c.error) << (&c - cases) << ": " << name_of(error);
    again();
  }
}

TEST_F(M3FromAHostileClient, is_measured_before_it_is_opened) {
  const ByteVector noise(wire::kM3BytesMax + 16, 0x55);
  EXPECT_EQ(judge(noise), &kHandshakeSealBroken);
  again();
  EXPECT_EQ(judge(ByteVector(noise.size() + 1, 0x55)), &wire::kRecordTooLong);
}

TEST_F(M3FromAHostileClient, must_be_signed_as_a_client) {
  EXPECT_EQ(judge(unchanged, by_hand::kServerLabel), &crypto::kBadSignature);
}

TEST_F(M3FromAHostileClient, needs_both_halves_of_its_signature) {
  for (const std::size_t from_end : {3'373u, 3'310u, 3'309u, 1u}) {
    ByteVector record = client.sign(client.m3_by_psk(), by_hand::kClientLabel);
    record[record.size() - from_end] ^= 1;
    EXPECT_EQ(judge(by_hand::ref::seal(client.client_key(), record)), &crypto::kBadSignature)
        << from_end;
    again();
  }
}

TEST_F(M3FromAHostileClient, sealed_under_the_servers_key_does_not_open) {
  const ByteVector record = client.sign(client.m3_by_psk(), by_hand::kClientLabel);
  EXPECT_EQ(judge(by_hand::ref::seal(client.server_key(), record)), &kHandshakeSealBroken);
}

TEST_F(M3FromAHostileClient, with_bytes_behind_the_record_is_refused) {
  ByteVector record = client.sign(client.m3_by_psk(), by_hand::kClientLabel);
  record.push_back(0);
  EXPECT_EQ(judge(by_hand::ref::seal(client.client_key(), record)), &wire::kRecordTrailing);
}

TEST_F(M3FromAHostileClient, signed_over_another_transcript_is_refused) {
  // All keys are right, but the client signs as if the server had sent another M2.
  const ByteVector record = [&] {
    by_hand::Side& other = client;
    const ByteVector kept = other.transcript;
    other.transcript.back() ^= 1;
    const ByteVector signed_record = other.sign(client.m3_by_psk(), by_hand::kClientLabel);
    other.transcript = kept;
    return signed_record;
  }();
  EXPECT_EQ(judge(by_hand::ref::seal(client.client_key(), record)), &crypto::kBadSignature);
}

// ------------------------------------------------------------------------------- OK

TEST(OkFromAHostileServer, must_repeat_what_was_negotiated) {
  const Case cases[] = {
      {nullptr, unchanged},
      {nullptr, [](RawRecord& r) { r.erase(5); }},
      {nullptr, [](RawRecord& r) { r.insert({0, 77, {}}); }},
      {&wire::kFieldUnknown, [](RawRecord& r) { r.insert({1, 77, {}}); }},
      {&kOkMismatch, [](RawRecord& r) { r.at(1).value = {0, 101}; }},
      {&kOkMismatch, [](RawRecord& r) { r.at(2).value[19] ^= 1; }},
      {&kOkMismatch, [](RawRecord& r) { r.at(2).value[15] ^= 1; }},
      {&kOkMismatch, [](RawRecord& r) { r.at(2).value[7] ^= 1; }},
      {&kOkMismatch, [](RawRecord& r) { r.at(3).value = {2}; }},
  };
  for (const Case& c : cases) {
    HandshakeWorld world;
    by_hand::Server server(world);
    ClientHello hello = server.hello(world.by_psk());
    auto reply = std::move(hello.next).handle(server.m2(hello.m1), world.entropy);
    ASSERT_TRUE(reply.ok());
    RawRecord ok = server.ok();
    c.change(ok);
    const ErrorKind* error = error_of(std::move(reply->next).handle(ok.bytes()));
    EXPECT_EQ(error, c.error) << (&c - cases) << ": " << name_of(error);
  }
}

}  // namespace
}  // namespace karst::keys
