#pragma once

// For tests: each side of the handshake written a second time, by hand from
// docs/protocol/session.md and with raw OpenSSL. Every record can be changed before it is signed
// and sealed, which makes a hostile peer that holds all its keys.

#include <functional>

#include "crypto/base64.h"
#include "crypto/reference_for_test.h"
#include "keys/handshake_world_for_test.h"
#include "wire/test_record.h"

namespace karst::keys::by_hand {

namespace ref = crypto::reference;
using ref::join;
using ref::lp;
using wire::RawRecord;
using Change = std::function<void(RawRecord&)>;

inline void unchanged(RawRecord&) {}

inline const ByteVector kSuite = {0, 1};
inline const ByteVector kWindow = {0, 100};
// 262,144 bytes, 512 frames, 500 ms.
inline const ByteVector kPolicy = {0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0xf4};
inline const ByteVector kCapabilities = {0, 0, 0, 0b0101};
inline constexpr std::string_view kServerLabel = "karst/1 server signature";
inline constexpr std::string_view kClientLabel = "karst/1 client signature";

// What both sides keep and compute.
struct Side {
  explicit Side(HandshakeWorld& w) : world(w), connection(w.new_connection()) {
    exporter = to_vector(connection.expose());
    front = to_vector(w.front.current().expose());
    transcript = join({lp(as_bytes("karst/1")), ByteVector{1}, lp(exporter)});
  }

  ByteVector front_key(std::uint8_t direction) const {
    return ref::expand(ref::extract(exporter, {front}), "karst/1 stream front seal",
                       ByteVector{direction});
  }
  ByteVector client_key() const { return ref::expand(hs, "karst/1 client handshake key"); }
  ByteVector server_key() const { return ref::expand(hs, "karst/1 server handshake key"); }
  ByteVector identity() const { return join({ed25519.public_key(), ml_dsa.public_key()}); }
  NodeId node() const {
    NodeId id;
    copy_bytes(id.bytes, ref::sha256(identity()));
    return id;
  }
  ByteVector signed_bytes(std::string_view label, Bytes before) const {
    return join({as_bytes(label), ByteVector{0}, ref::sha256(join({transcript, before}))});
  }
  // The record with its signature as the last field.
  ByteVector sign(RawRecord record, std::string_view label) const {
    record.insert({1, 255, ByteVector(3373)});
    ByteVector bytes = record.bytes();
    const ByteVector message = signed_bytes(label, Bytes(bytes).first(bytes.size() - 3379));
    copy_bytes(MutableBytes(bytes).last(3373), join({ed25519.sign(message), ml_dsa.sign(message)}));
    return bytes;
  }
  bool verifies(Bytes record, std::string_view label) const {
    const ByteVector message = signed_bytes(label, record.first(record.size() - 3379));
    const ByteVector who = RawRecord(record).at(1).value;
    return ref::verify("ED25519", Bytes(who).first(32), message, record.last(3373).first(64)) &&
           ref::verify("ML-DSA-65", Bytes(who).subspan(32), message, record.last(3309));
  }
  void add(Bytes record) { transcript = join({transcript, record}); }
  void agree(Bytes ml_kem_shared, Bytes x25519_shared) {
    hs = ref::extract(ref::sha256(transcript),
                      {ml_kem_shared, x25519_shared, ref::expand(front, "karst/1 front key")});
  }
  // root_0 once the whole transcript is there.
  ByteVector root() const {
    const ByteVector t3 = ref::sha256(transcript);
    const ByteVector psk_link =
        ref::expand(ref::extract(t3, {world.psk.expose()}), "karst/1 psk link");
    return ref::extract(hs, {psk_link, exporter, t3});
  }
  bool has_same(const LinkSecrets& secrets) const {
    return equal(secrets.client_to_server_root.expose(),
                 ref::expand(root(), "karst/1 client to server root")) &&
           equal(secrets.server_to_client_root.expose(),
                 ref::expand(root(), "karst/1 server to client root")) &&
           equal(secrets.resume_key.expose(), ref::expand(root(), "karst/1 resume"));
  }

  HandshakeWorld& world;
  TlsExporter connection;
  ref::Key x25519{"X25519"}, ml_kem{"ML-KEM-1024"}, ed25519{"ED25519"}, ml_dsa{"ML-DSA-65"};
  ByteVector exporter, front, transcript, hs;
};

struct Client : Side {
  using Side::Side;

  std::string cookie() const {
    const ByteVector random(16, 0x42);
    return "sid=" + crypto::base64url(join(
                        {random, ref::hmac(front, join({as_bytes("karst/1 admission"), exporter,
                                                        lp(as_bytes(kWorldAuthority)), random}))}));
  }
  ByteVector m1(const Change& change = unchanged) {
    RawRecord record(1, {{1, 1, kSuite},
                         {1, 2, ByteVector(32, 7)},
                         {1, 3, {1}},
                         {1, 6, x25519.public_key()},
                         {1, 7, ml_kem.public_key()},
                         {1, 8, kWindow},
                         {1, 9, kPolicy},
                         {1, 10, kCapabilities},
                         {0, 254, ByteVector(33)}});
    change(record);
    add(record.bytes());
    return ref::seal(front_key(1), record.bytes());
  }
  // The sealed record of M2, as it came.
  ByteVector read_m2(Bytes message) {
    const ByteVector m2 = ref::open(front_key(2), message).value();
    const Bytes clear = Bytes(m2).first(3 + 6 + 32 + 6 + 1568);
    add(clear);
    RawRecord record{clear};
    agree(ml_kem.decapsulate(record.at(2).value), x25519.agree(record.at(1).value));
    const ByteVector sealed = ref::open(server_key(), Bytes(m2).subspan(clear.size())).value();
    return sealed;
  }
  ByteVector m3(RawRecord record, std::string_view label = kClientLabel) {
    const ByteVector bytes = sign(std::move(record), label);
    add(bytes);
    return ref::seal(client_key(), bytes);
  }
  RawRecord m3_by_invite(const wire::InviteId& id) const {
    return RawRecord(4, {{1, 1, identity()}, {1, 3, to_vector(id)}, {0, 254, {}}});
  }
  RawRecord m3_by_psk(std::uint8_t generation = 0) const {
    return RawRecord(4, {{1, 1, identity()}, {1, 2, {generation}}, {0, 254, {}}});
  }
};

struct Server : Side {
  using Side::Side;

  // What our client starts with towards this server.
  ClientHello hello(ClientCredential credential) {
    ClientConfig config = world.client_config();
    config.server = node();
    return start_client(config, world.front.current().duplicate(), std::move(credential),
                        StreamBinding{connection.duplicate()}, world.entropy);
  }
  ByteVector m2(Bytes m1_message, const Change& change_clear = unchanged,
                const Change& change_sealed = unchanged, std::string_view label = kServerLabel) {
    const ByteVector m1 = ref::open(front_key(1), m1_message).value();
    add(m1);
    const auto [ciphertext, ml_kem_shared] = ref::encapsulate(RawRecord(m1).at(7).value);
    RawRecord clear(2, {{1, 1, x25519.public_key()}, {1, 2, ciphertext}});
    change_clear(clear);
    add(clear.bytes());
    agree(ml_kem_shared, x25519.agree(RawRecord(m1).at(6).value));
    RawRecord sealed(3, {{1, 1, identity()},
                         {1, 3, {0, 0, 0, 0, 0x6b, 0x49, 0xd2, 0}},
                         {1, 4, kWindow},
                         {1, 5, kPolicy},
                         {1, 6, kCapabilities},
                         {1, 7, {1}},
                         {1, 8, {0, 0, 0, 9, 0, 0, 0, 60}},
                         {0, 254, ByteVector(5)}});
    change_sealed(sealed);
    const ByteVector signed_record = sign(std::move(sealed), label);
    add(signed_record);
    return ref::seal(front_key(2), join({clear.bytes(), ref::seal(server_key(), signed_record)}));
  }
  ByteVector read_m3(Bytes message) {
    const ByteVector m3 = ref::open(client_key(), message).value();
    return m3;
  }
  static RawRecord ok() {
    return RawRecord(5, {{1, 1, kWindow},
                         {1, 2, kPolicy},
                         {1, 3, {1}},
                         {1, 4, ByteVector(12)},
                         {1, 5, {10, 7, 0, 2, 24}},
                         {1, 7, ByteVector(16, 3)},
                         {0, 254, {}}});
  }
};

}  // namespace karst::keys::by_hand
