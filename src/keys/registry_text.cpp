// The text of a registry: docs/protocol/session-files.md.

#include <charconv>
#include <set>

#include "base/check.h"
#include "crypto/hex.h"
#include "keys/registry_state.h"

namespace karst::keys {
namespace {

constexpr std::string_view kHeader = "karst-clients 1\n";
constexpr std::string_view kNone = "-";
// "client " or "invite ", the longest values and the newline.
constexpr std::size_t kLineBytesMax = 512;

// Takes a line apart from the left. After the first thing that is not as expected it has failed,
// and every value means nothing.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  void expect(std::string_view text) {
    if (!rest_.starts_with(text)) return fail();
    rest_.remove_prefix(text.size());
  }
  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  // Up to the next space or the end.
  std::string_view word() {
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(word.size());
    return word;
  }
  NodeId node() {
    const std::string_view text = word();
    const auto node = NodeId::parse(text);
    // The text form has one spelling in a file.
    if (!node || node->text() != text) fail();
    return node.value_or(NodeId{});
  }
  SharedPsk psk() {
    const std::string_view text = word();
    if (text == kNone) return nullptr;
    auto psk = std::make_shared<ClientPsk>();
    if (!crypto::hex_decode(text, psk->expose_mutable())) fail();
    return psk;
  }
  template <class T>
  T number() {
    const std::string_view text = word();
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text[0] == '-' ||
        (text[0] == '0' && text.size() > 1)) {
      fail();
    }
    return value;
  }
  wire::ClientLimits limits() {
    wire::ClientLimits limits;
    expect(" streams=");
    limits.streams = number<std::uint32_t>();
    expect(" rate=");
    limits.bytes_per_second = number<std::uint64_t>();
    return limits;
  }
  std::string name() {
    const std::string_view text = word();
    if (!valid_client_name(text)) fail();
    return std::string(text);
  }
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  bool finished() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

bool read_client(LineReader& line, RegistryState& state) {
  const NodeId node = line.node();
  ClientRecord client;
  line.expect(" ");
  client.name = line.name();
  line.expect(" psk0=");
  client.generation_0 = line.psk();
  line.expect(" psk1=");
  client.generation_1 = line.psk();
  client.limits = line.limits();
  client.revoked = line.accept(" revoked");
  if (!line.finished() || (client.generation_0 == nullptr && client.generation_1 == nullptr)) {
    return false;
  }
  return state.clients.emplace(node, std::move(client)).second;
}

bool read_invite(LineReader& line, RegistryState& state) {
  wire::InviteId id;
  if (!crypto::hex_decode(line.word(), id)) return false;
  InviteRecord invite;
  line.expect(" ");
  invite.name = line.name();
  line.expect(" psk=");
  invite.psk = line.psk();
  line.expect(" expires=");
  invite.expiry.seconds = line.number<std::int64_t>();
  invite.limits = line.limits();
  line.expect(" spent-by=");
  if (!line.accept(kNone)) invite.spent_by = line.node();
  if (!line.finished() || (invite.psk != nullptr) == invite.spent_by.has_value()) return false;
  return state.invites.emplace(id, std::move(invite)).second;
}

// Names are unique among clients and open invites.
bool names_are_unique(const RegistryState& state) {
  std::set<std::string_view> names;
  for (const auto& [node, client] : state.clients) {
    if (!names.insert(client.name).second) return false;
  }
  for (const auto& [id, invite] : state.invites) {
    if (!invite.spent_by && !names.insert(invite.name).second) return false;
  }
  return true;
}

void put_number(crypto::SecretBytes& out, auto value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append({digits, static_cast<std::size_t>(end - digits)});
}

void put_psk(crypto::SecretBytes& out, const SharedPsk& psk) {
  if (psk == nullptr) return out.append(kNone);
  crypto::Secret<64, struct PskHexTag> text;
  crypto::hex_encode(psk->expose(), text.expose_mutable());
  out.append(text.expose());
}

void put_limits(crypto::SecretBytes& out, const wire::ClientLimits& limits) {
  out.append(" streams=");
  put_number(out, limits.streams);
  out.append(" rate=");
  put_number(out, limits.bytes_per_second);
}

}  // namespace

crypto::SecretBytes format_registry(const RegistryState& state) {
  crypto::SecretBytes out(kHeader.size() +
                          (state.clients.size() + state.invites.size()) * kLineBytesMax);
  out.append(kHeader);
  for (const auto& [node, client] : state.clients) {
    out.append("client ");
    out.append(node.text());
    out.append(" ");
    out.append(client.name);
    out.append(" psk0=");
    put_psk(out, client.generation_0);
    out.append(" psk1=");
    put_psk(out, client.generation_1);
    put_limits(out, client.limits);
    out.append(client.revoked ? " revoked\n" : "\n");
  }
  for (const auto& [id, invite] : state.invites) {
    out.append("invite ");
    std::array<std::uint8_t, 32> id_text;
    crypto::hex_encode(id, id_text);
    out.append(id_text);
    out.append(" ");
    out.append(invite.name);
    out.append(" psk=");
    put_psk(out, invite.psk);
    out.append(" expires=");
    put_number(out, invite.expiry.seconds);
    put_limits(out, invite.limits);
    out.append(" spent-by=");
    out.append(invite.spent_by ? invite.spent_by->text() : std::string(kNone));
    out.append("\n");
  }
  return out;
}

Result<RegistryState> parse_registry(std::string_view text) {
  RegistryState state;
  std::int64_t line_number = 1;
  if (!text.starts_with(kHeader)) return Error(kRegistrySyntax, line_number);
  text.remove_prefix(kHeader.size());
  while (!text.empty()) {
    ++line_number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return Error(kRegistrySyntax, line_number);
    LineReader line(text.substr(0, end));
    text.remove_prefix(end + 1);
    const bool read = line.accept("client ")   ? read_client(line, state)
                      : line.accept("invite ") ? read_invite(line, state)
                                               : false;
    if (!read) return Error(kRegistrySyntax, line_number);
    if (state.clients.size() > kClientsMax || state.invites.size() > kInvitesMax) {
      return kRegistryFull;
    }
  }
  if (!names_are_unique(state)) return kNameTaken;
  return state;
}

}  // namespace karst::keys
