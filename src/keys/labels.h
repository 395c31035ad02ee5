#pragma once

#include <string_view>

// Every label of suite karst/1 (docs/protocol/). A label names one use of one key; two uses never
// share one.

namespace karst::keys {

inline constexpr std::string_view kSuite = "karst/1";
inline constexpr std::string_view kTlsExporterLabel = "EXPORTER-karst/1";

inline constexpr std::string_view kAdmissionLabel = "karst/1 admission";
inline constexpr std::string_view kStreamFrontSealLabel = "karst/1 stream front seal";
inline constexpr std::string_view kDatagramFrontSealLabel = "karst/1 datagram front seal";

inline constexpr std::string_view kFrontKeyLabel = "karst/1 front key";
inline constexpr std::string_view kClientHandshakeKeyLabel = "karst/1 client handshake key";
inline constexpr std::string_view kServerHandshakeKeyLabel = "karst/1 server handshake key";
inline constexpr std::string_view kPskLinkLabel = "karst/1 psk link";
inline constexpr std::string_view kClientToServerRootLabel = "karst/1 client to server root";
inline constexpr std::string_view kServerToClientRootLabel = "karst/1 server to client root";
inline constexpr std::string_view kResumeLabel = "karst/1 resume";
inline constexpr std::string_view kEnrolledPskLabel = "karst/1 enrolled psk";

inline constexpr std::string_view kServerSignatureLabel = "karst/1 server signature";
inline constexpr std::string_view kClientSignatureLabel = "karst/1 client signature";

inline constexpr std::string_view kEpochPskLabel = "karst/1 epoch psk";
inline constexpr std::string_view kEpochRootLabel = "karst/1 epoch root";
inline constexpr std::string_view kChainLabel = "karst/1 chain";
inline constexpr std::string_view kPacketKeyLabel = "karst/1 packet key";
// Short on purpose: with it each block of the record HKDF is one compression of SHA-256.
inline constexpr std::string_view kRecordLabel = "karst/1 record";

}  // namespace karst::keys
