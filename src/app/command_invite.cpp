#include <qrencode.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/daemon_client.h"
#include "app/files.h"
#include "app/invites.h"
#include "app/lifetime.h"
#include "app/registry_file.h"
#include "app/server_address.h"
#include "platform/linux/clock.h"
#include "platform/linux/os_entropy.h"
#include "platform/linux/state_directory.h"

namespace karst::app {
namespace {

// Through no buffer of the library's, which nobody wipes.
void print_secret(const crypto::SecretBytes& text, std::FILE* file) {
  std::fflush(file);
  Bytes rest = text.expose();
  while (!rest.empty()) {
    const ssize_t written = ::write(::fileno(file), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest = rest.subspan(static_cast<std::size_t>(written));
  }
}

// The library's own working copies are out of reach.
struct FreeWiped {
  void operator()(QRcode* code) const {
    const auto width = static_cast<std::size_t>(code->width);
    crypto::wipe({code->data, width * width});
    QRcode_free(code);
  }
};

// Two rows of the code in each line of text, light on dark, with the quiet border that scanners
// need.
Outcome<void> draw_qr(const crypto::SecretBytes& text) {
  const std::unique_ptr<QRcode, FreeWiped> code(
      QRcode_encodeData(static_cast<int>(text.size()), text.expose().data(), 0, QR_ECLEVEL_L));
  if (!code) return std::unexpected(Failure{"the invite does not fit into a QR code"});
  const int width = code->width;
  const auto dark = [&](int x, int y) {
    if (x < 0 || y < 0 || x >= width || y >= width) return false;
    return (code->data[y * width + x] & 1) != 0;
  };
  // Each of its characters takes at most 3 bytes, each line 16 more.
  const auto side = static_cast<std::size_t>(width + 4);
  crypto::SecretBytes out((side + 1) / 2 * (3 * side + 16));
  for (int y = -2; y < width + 2; y += 2) {
    out.append("\x1b[97;40m");
    for (int x = -2; x < width + 2; ++x) {
      const bool top = dark(x, y);
      const bool bottom = dark(x, y + 1);
      out.append(top ? (bottom ? " " : "\u2584") : (bottom ? "\u2580" : "\u2588"));
    }
    out.append("\x1b[0m\n");
  }
  print_secret(out, stderr);
  return {};
}

// Without a daemon: under the lock of the state directory.
Outcome<crypto::SecretBytes> invite_offline(const Paths& paths, const InviteRequest& request) {
  const auto settings = load_server_settings(paths);
  if (!settings) return std::unexpected(settings.error());
  auto lock = platform::StateDirectory::open(paths.state.string());
  if (!lock.ok()) return std::unexpected(file_failure(paths.state.string(), lock.error()));
  const auto identity = load_identity(paths.identity());
  if (!identity) return std::unexpected(identity.error());
  const auto front = load_server_front(paths);
  if (!front) return std::unexpected(front.error());
  const auto pin = load_pin(settings->certificate);
  if (!pin) return std::unexpected(pin.error());
  auto registry = load_registry(paths);
  if (!registry) return std::unexpected(registry.error());
  platform::OsEntropy entropy;
  InviteRequest full = request;
  if (full.addresses.empty()) full.addresses = settings->addresses;
  auto issued = issue_invite(full, {identity->node_id(), *pin, &*front}, *registry,
                             platform::wall_now(), entropy);
  if (!issued) return std::unexpected(issued.error());
  if (const auto text = registry->poll_write(platform::monotonic_now())) {
    registry->written(RegistryFile::write(paths.registry(), text->expose()),
                      platform::monotonic_now());
  }
  while (const auto outcome = registry->poll_outcome()) {
    if (outcome->ticket() != issued->ticket) continue;
    if (!outcome->result().ok()) {
      return std::unexpected(
          Failure{paths.registry().string() + " could not be written; nothing was changed"});
    }
  }
  return std::move(issued->uri);
}

Outcome<crypto::SecretBytes> make_invite(const Paths& paths, const InviteOptions& options) {
  InviteRequest request{options.name, keys::kInviteLifetimeSeconds, {}};
  if (!options.expires.empty()) {
    const auto lifetime = parse_lifetime(options.expires);
    if (!lifetime) {
      return std::unexpected(Failure{
          "--expires " + options.expires + " is not a time, as in 7d, 12h or 30m", kExitUsage});
    }
    request.lifetime_seconds = *lifetime;
  }
  for (const std::string& text : options.addresses) {
    const auto address = parse_server_address(text);
    if (!address) {
      return std::unexpected(Failure{
          "\"" + text + "\" is not a host and port, as in \"example.org:443\"", kExitUsage});
    }
    request.addresses.push_back(*address);
  }
  ControlRequest asked{ControlRequest::Kind::invite, options.name, request.lifetime_seconds,
                       options.addresses};
  auto answer = ask_daemon(paths, asked);
  if (!answer) return std::unexpected(answer.error());
  if (!*answer) return invite_offline(paths, request);
  std::string& text = **answer;
  auto uri = parse_invite_answer(text);
  if (!uri) return std::unexpected(Failure{parse_answer(text).error});
  crypto::wipe({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  return std::move(*uri);
}

}  // namespace

int invite(const Paths& paths, const InviteOptions& options) {
  auto uri = make_invite(paths, options);
  if (!uri) return fail(uri.error());
  if (options.qr) {
    if (const auto drawn = draw_qr(*uri); !drawn) return fail(drawn.error());
  }
  print_secret(*uri, stdout);
  std::printf("\n");
  std::fflush(stdout);
  if (::isatty(STDERR_FILENO) == 1) {
    std::fprintf(stderr,
                 "\nGive this to %s over a channel that others cannot read; it lets one person in, "
                 "once.\nThey run: karst join karst://...\n",
                 options.name.c_str());
  }
  return kExitOk;
}

}  // namespace karst::app
