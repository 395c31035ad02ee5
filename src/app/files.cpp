#include "app/files.h"

#include <optional>
#include <system_error>
#include <type_traits>

#include "app/invite_credential.h"
#include "app/settings_file.h"
#include "platform/linux/atomic_write.h"
#include "platform/linux/file_error.h"
#include "platform/linux/read_file.h"
#include "stream/tls/certificate.h"

namespace karst::app {
namespace {

constexpr std::size_t kSettingsBytesMax = 256 * 1024;
constexpr std::size_t kSecretBytesMax = 4 * 1024;
constexpr std::size_t kCertificateBytesMax = 256 * 1024;
constexpr std::size_t kRegistryBytesMax = 64 << 20;

std::unexpected<Failure> fail(const std::filesystem::path& file, const Error& error) {
  return std::unexpected(file_failure(file.string(), error));
}

// Only where nothing has the name. A file that cannot be read now, for whatever reason, is there:
// to go on without it, or to write another in its place, would lose it.
template <class T>
bool is_absent(const Result<T>& read) {
  return !read.ok() && read.error().is(platform::kFileNotFound);
}

Outcome<std::string> read_text(const std::filesystem::path& file, std::size_t bytes_max) {
  const auto bytes = platform::read_file(file.string(), bytes_max);
  if (!bytes.ok()) return fail(file, bytes.error());
  return std::string(as_text(*bytes));
}

template <class Parse>
using Parsed = std::invoke_result_t<Parse, std::string_view>::value_type;

// Nothing when the file is absent.
template <class Parse>
Outcome<std::optional<Parsed<Parse>>> read_secret_if_there(const std::filesystem::path& file,
                                                           std::size_t bytes_max, Parse parse) {
  const auto text = platform::read_secret_file(file.string(), bytes_max);
  if (is_absent(text)) return std::nullopt;
  if (!text.ok()) return fail(file, text.error());
  auto value = parse(text->expose_text());
  if (!value.ok()) return fail(file, value.error());
  return std::move(*value);
}

template <class Parse>
Outcome<Parsed<Parse>> read_secret(const std::filesystem::path& file, std::size_t bytes_max,
                                   Parse parse) {
  auto value = read_secret_if_there(file, bytes_max, parse);
  if (!value) return std::unexpected(value.error());
  if (!*value) return fail(file, platform::kFileNotFound);
  return std::move(**value);
}

template <class T, class Parse>
Outcome<T> load_settings(const std::filesystem::path& file, Parse parse, std::string_view how) {
  const auto text = platform::read_file(file.string(), kSettingsBytesMax);
  if (is_absent(text)) {
    return std::unexpected(
        Failure{file.string() + " does not exist; " + std::string(how), kExitUsage});
  }
  if (!text.ok()) return fail(file, text.error());
  auto settings = parse(as_text(*text), file);
  if (!settings) return std::unexpected(Failure{settings.error().message, kExitUsage});
  return std::move(*settings);
}

}  // namespace

bool holds_something(const Paths& paths) {
  std::error_code ignored;
  return std::filesystem::exists(paths.server_settings(), ignored) ||
         std::filesystem::exists(paths.client_settings(), ignored);
}

Failure nothing_here(const Paths& paths) {
  std::error_code error;
  if (!std::filesystem::exists(paths.server_settings(), error) && error) {
    return {paths.config.string() + " cannot be looked into: " + error.message(), kExitUsage};
  }
  return {"there is no server or client in " + paths.config.string() +
              "; begin with `karst init server` or `karst join karst://...`, or name its place "
              "with --dir",
          kExitUsage};
}

Outcome<ServerSettings> load_server_settings(const Paths& paths) {
  if (std::error_code ignored; !std::filesystem::exists(paths.server_settings(), ignored) &&
                               std::filesystem::exists(paths.client_settings(), ignored)) {
    return std::unexpected(
        Failure{paths.config.string() + " holds a client; only a server has clients and invites",
                kExitUsage});
  }
  return load_settings<ServerSettings>(paths.server_settings(), parse_server_settings,
                                       "make a server with: karst init server");
}

Outcome<ClientSettings> load_client_settings(const Paths& paths) {
  return load_settings<ClientSettings>(paths.client_settings(), parse_client_settings,
                                       "make a client with: karst join karst://...");
}

Outcome<keys::Identity> load_identity(const std::filesystem::path& file) {
  auto seed = read_secret(file, kSecretBytesMax, keys::parse_identity);
  if (!seed) return std::unexpected(seed.error());
  return keys::Identity(*seed);
}

Outcome<keys::FrontSecrets> load_server_front(const Paths& paths) {
  return read_secret(paths.front_secret(), kSecretBytesMax, keys::FrontSecrets::parse);
}

Outcome<keys::FrontSecret> load_client_front(const Paths& paths) {
  auto bytes = read_secret(paths.front_secret(), kSecretBytesMax, keys::parse_client_psk);
  if (!bytes) return std::unexpected(bytes.error());
  return keys::FrontSecret::from_bytes(bytes->expose());
}

Outcome<keys::ClientRegistry> load_registry(const Paths& paths) {
  const auto file = paths.registry();
  const auto text = platform::read_secret_file(file.string(), kRegistryBytesMax);
  if (is_absent(text)) {
    return std::unexpected(Failure{
        file.string() +
            ": the file does not exist. It holds this server's clients: put it back from a copy, "
            "or, to begin without any, write the line \"karst-clients 1\" to it, mode 600",
        kExitUsage});
  }
  if (!text.ok()) return fail(file, text.error());
  auto registry = keys::ClientRegistry::parse(text->expose_text());
  if (registry.ok()) return std::move(*registry);
  return fail(file.string() + ":" + std::to_string(registry.error().detail()), registry.error());
}

Outcome<stream::tls::TlsContext> load_server_tls(const ServerSettings& settings) {
  const auto certificate = read_text(settings.certificate, kCertificateBytesMax);
  if (!certificate) return std::unexpected(certificate.error());
  const auto key = platform::read_secret_file(settings.key.string(), kCertificateBytesMax);
  if (!key.ok()) return fail(settings.key, key.error());
  auto context = stream::tls::TlsContext::server({*certificate, key->expose_text()});
  if (!context.ok()) return fail(settings.certificate, context.error());
  return std::move(*context);
}

Outcome<wire::TlsPin> load_pin(const std::filesystem::path& certificate) {
  const auto text = read_text(certificate, kCertificateBytesMax);
  if (!text) return std::unexpected(text.error());
  const auto pin = stream::tls::spki_pin(*text);
  if (!pin.ok()) return fail(certificate, pin.error());
  return *pin;
}

Outcome<keys::ClientCredential> load_credential(const Paths& paths) {
  auto psk = read_secret_if_there(paths.psk(), kSecretBytesMax, keys::parse_client_psk);
  if (!psk) return std::unexpected(psk.error());
  if (*psk) return keys::PskCredential{wire::PskGeneration::one, std::move(**psk)};
  auto invite = read_secret_if_there(paths.invite(), kSecretBytesMax, parse_invite_credential);
  if (!invite) return std::unexpected(invite.error());
  if (!*invite) {
    return std::unexpected(
        Failure{"neither " + paths.psk().string() + " nor " + paths.invite().string() +
                    " exists; this client has no key for its server. Join again with a new invite.",
                kExitUsage});
  }
  return std::move(**invite);
}

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(file, ignored);
  return status.type() != std::filesystem::file_type::not_found;
}

Outcome<void> make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(directory, error);
  if (error) {
    return std::unexpected(
        Failure{directory.string() + ": cannot make this directory: " + error.message()});
  }
  if (made) {
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  }
  return {};
}

Outcome<void> save_secret(const std::filesystem::path& file, Bytes text, Overwrite overwrite) {
  const auto write = overwrite == Overwrite::no ? platform::atomic_create : platform::atomic_write;
  const auto written =
      write(file.string(), text, platform::FileAccess::secret, platform::os_file_calls());
  if (!written.ok() && written.error().is(platform::kFileExists)) {
    return std::unexpected(Failure{file.string() + " exists already; nothing was changed"});
  }
  if (!written.ok()) return fail(file, written.error());
  return {};
}

Outcome<void> save_public(const std::filesystem::path& file, std::string_view text) {
  const auto written =
      platform::atomic_write(file.string(), as_bytes(text), platform::FileAccess::readable);
  if (!written.ok()) return fail(file, written.error());
  return {};
}

Outcome<void> save_identity(const std::filesystem::path& file, Entropy& entropy) {
  const auto seed = keys::generate_identity(entropy);
  const auto text = keys::format_identity(seed);
  return save_secret(file, text.expose());
}

Outcome<void> save_invite(const Paths& paths, const wire::Invite& invite) {
  const auto text = format_invite_credential(invite.id, invite.psk);
  return save_secret(paths.invite(), text.expose(), Overwrite::yes);
}

Outcome<void> save_enrolled(const Paths& paths, const keys::ClientPsk& psk) {
  const auto text = keys::format_client_psk(psk);
  const auto saved = save_secret(paths.psk(), text.expose(), Overwrite::yes);
  if (!saved) return saved;
  std::error_code ignored;
  std::filesystem::remove(paths.invite(), ignored);
  return {};
}

}  // namespace karst::app
