#pragma once

#include <filesystem>
#include <string>

#include "app/failure.h"
#include "app/paths.h"
#include "app/settings.h"
#include "base/entropy.h"
#include "keys/client_handshake.h"
#include "keys/client_registry.h"
#include "keys/front_secret.h"
#include "keys/identity.h"
#include "stream/tls/tls_context.h"

// Reading and writing the files of paths.h as values.
namespace karst::app {

// Whether a server or a client lives there, and what to say where neither does.
bool holds_something(const Paths& paths);
Failure nothing_here(const Paths& paths);

Outcome<ServerSettings> load_server_settings(const Paths& paths);
Outcome<ClientSettings> load_client_settings(const Paths& paths);
Outcome<keys::Identity> load_identity(const std::filesystem::path& file);
Outcome<keys::FrontSecrets> load_server_front(const Paths& paths);
Outcome<keys::FrontSecret> load_client_front(const Paths& paths);
// `karst init` makes one: an absent file is a lost one, or on a disk that is not mounted. To go on
// as if it were empty would shut every client out, and the next enrolment would write that.
Outcome<keys::ClientRegistry> load_registry(const Paths& paths);
Outcome<stream::tls::TlsContext> load_server_tls(const ServerSettings& settings);
Outcome<wire::TlsPin> load_pin(const std::filesystem::path& certificate);
// The PSK once enrolled, else the invite.
Outcome<keys::ClientCredential> load_credential(const Paths& paths);

// Whether something has this name: also a link to nothing, and what cannot be looked at now.
bool is_there(const std::filesystem::path& file);
Outcome<void> make_directory(const std::filesystem::path& directory);
enum class Overwrite : std::uint8_t { no, yes };
Outcome<void> save_identity(const std::filesystem::path& file, Entropy& entropy);
Outcome<void> save_secret(const std::filesystem::path& file, Bytes text,
                          Overwrite overwrite = Overwrite::no);
Outcome<void> save_public(const std::filesystem::path& file, std::string_view text);
Outcome<void> save_invite(const Paths& paths, const wire::Invite& invite);
// After enrolment: the PSK is on disk before the invite goes.
Outcome<void> save_enrolled(const Paths& paths, const keys::ClientPsk& psk);

}  // namespace karst::app
