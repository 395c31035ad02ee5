#include "app/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/prng.h"
#include "platform/linux/read_file.h"

using namespace karst;
using namespace karst::app;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() {
    EXPECT_TRUE(make_directory(paths.config));
    EXPECT_TRUE(make_directory(paths.state));
  }
  ~Files() override { fs::remove_all(paths.config); }

  static Paths make_paths() {
    std::string name = testing::TempDir() + "karst_files_XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    return find_paths(fs::path(name), {});
  }
  static void put(const fs::path& file, std::string_view text, mode_t mode = 0600) {
    std::ofstream(file) << text;
    EXPECT_EQ(::chmod(file.c_str(), mode), 0);
  }
  static std::string read(const fs::path& file) {
    const auto bytes = platform::read_file(file.string(), 1 << 20);
    return bytes.ok() ? std::string(as_text(*bytes)) : "(none)";
  }
  static unsigned mode(const fs::path& file) {
    struct stat status{};
    return ::stat(file.c_str(), &status) == 0 ? status.st_mode & 07777u : 0;
  }
  wire::Invite invite() {
    wire::Invite out;
    out.id = entropy.bytes<16>();
    out.psk = wire::ClientPsk::random(entropy);
    return out;
  }

  const Paths paths = make_paths();
  SeededEntropy entropy{1};
};

TEST_F(Files, secrets_are_for_their_owner_only_and_settings_for_everyone) {
  ASSERT_TRUE(save_identity(paths.identity(), entropy));
  ASSERT_TRUE(save_invite(paths, invite()));
  ASSERT_TRUE(save_public(paths.server_settings(), "x"));
  EXPECT_EQ(mode(paths.identity()), 0600u);
  EXPECT_EQ(mode(paths.invite()), 0600u);
  EXPECT_EQ(mode(paths.server_settings()), 0644u);
  EXPECT_EQ(mode(paths.state), 0700u);
}

TEST_F(Files, a_secret_is_not_overwritten_unless_that_is_asked_for) {
  ASSERT_TRUE(save_secret(paths.psk(), as_bytes("old")));
  const auto again = save_secret(paths.psk(), as_bytes("new"));
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("exists already"));
  EXPECT_EQ(read(paths.psk()), "old");
  ASSERT_TRUE(save_secret(paths.psk(), as_bytes("new"), Overwrite::yes));
  EXPECT_EQ(read(paths.psk()), "new");
}

TEST_F(Files, an_identity_that_was_saved_is_the_same_when_it_is_loaded) {
  ASSERT_TRUE(save_identity(paths.identity(), entropy));
  const auto first = load_identity(paths.identity());
  const auto second = load_identity(paths.identity());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->node_id(), second->node_id());
}

TEST_F(Files, a_secret_that_others_can_read_is_refused_with_the_command_that_mends_it) {
  ASSERT_TRUE(save_identity(paths.identity(), entropy));
  ASSERT_EQ(::chmod(paths.identity().c_str(), 0640), 0);
  const auto identity = load_identity(paths.identity());
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().exit_code, kExitUsage);
  EXPECT_THAT(identity.error().message, EndsWith("chmod 600 " + paths.identity().string()));
}

TEST_F(Files, every_file_that_cannot_be_used_is_named_first) {
  put(paths.identity(), "nonsense");
  put(paths.front_secret(), "nonsense");
  put(paths.psk(), "nonsense");
  put(paths.registry(), "karst-clients 1\nnonsense\n");
  put(paths.config / "tls.crt", "nonsense", 0644);
  const auto message = [](const auto& outcome) {
    return outcome ? std::string("accepted") : outcome.error().message;
  };
  EXPECT_THAT(message(load_identity(paths.identity())),
              StartsWith(paths.identity().string() + ": "));
  EXPECT_THAT(message(load_server_front(paths)), StartsWith(paths.front_secret().string() + ": "));
  EXPECT_THAT(message(load_client_front(paths)), StartsWith(paths.front_secret().string() + ": "));
  EXPECT_THAT(message(load_credential(paths)), StartsWith(paths.psk().string() + ": "));
  EXPECT_THAT(message(load_registry(paths)), StartsWith(paths.registry().string() + ":2: "));
  EXPECT_THAT(message(load_pin(paths.config / "tls.crt")),
              StartsWith((paths.config / "tls.crt").string() + ": "));
}

TEST_F(Files, a_registry_or_a_credential_that_is_not_there_is_an_error_that_says_what_to_do) {
  const auto registry = load_registry(paths);
  ASSERT_FALSE(registry) << "a lost registry would be replaced by an empty one";
  EXPECT_THAT(registry.error().message,
              StartsWith(paths.registry().string() + ": the file does not exist"));
  // What the message offers.
  put(paths.registry(), "karst-clients 1\n");
  const auto begun_anew = load_registry(paths);
  ASSERT_TRUE(begun_anew);
  EXPECT_TRUE(begun_anew->clients().empty());
  const auto credential = load_credential(paths);
  ASSERT_FALSE(credential);
  EXPECT_THAT(credential.error().message, HasSubstr("Join again"));
}

// A link to itself stands for whatever keeps a file from being read: a disk that answers with
// errors, a folder that may not be entered.
TEST_F(Files, what_cannot_be_read_now_is_not_taken_for_absent) {
  for (const std::string target : {"itself", "../nowhere/at/all"}) {
    const auto link = [&](const fs::path& file) {
      fs::remove(file);
      fs::create_symlink(target == "itself" ? file.filename() : fs::path(target), file);
    };
    ASSERT_TRUE(save_invite(paths, invite()));
    link(paths.psk());
    link(paths.registry());
    link(paths.server_settings());
    EXPECT_FALSE(load_registry(paths)) << target;
    EXPECT_FALSE(load_credential(paths)) << target << ": the old invite was used";
    const auto settings = load_server_settings(paths);
    ASSERT_FALSE(settings) << target;
    EXPECT_THAT(settings.error().message, Not(HasSubstr("does not exist"))) << target;
    EXPECT_TRUE(is_there(paths.psk())) << target;
    const auto saved = save_secret(paths.psk(), as_bytes("new"));
    ASSERT_FALSE(saved) << target << ": something was replaced";
    EXPECT_THAT(saved.error().message, HasSubstr("exists already")) << target;
    EXPECT_TRUE(fs::is_symlink(paths.psk())) << target;
  }
}

TEST_F(Files, an_invite_is_the_credential_until_there_is_a_psk) {
  const wire::Invite given = invite();
  ASSERT_TRUE(save_invite(paths, given));
  auto credential = load_credential(paths);
  ASSERT_TRUE(credential);
  const auto* spent = std::get_if<keys::InviteCredential>(&*credential);
  ASSERT_NE(spent, nullptr);
  EXPECT_EQ(spent->id, given.id);
  EXPECT_TRUE(equal(spent->psk.expose(), given.psk.expose()));

  // As a crash between the two steps of enrolment leaves it: both files are there.
  const auto psk = wire::ClientPsk::random(entropy);
  ASSERT_TRUE(save_secret(paths.psk(), keys::format_client_psk(psk).expose()));
  credential = load_credential(paths);
  ASSERT_TRUE(credential);
  const auto* enrolled = std::get_if<keys::PskCredential>(&*credential);
  ASSERT_NE(enrolled, nullptr);
  EXPECT_EQ(enrolled->generation, wire::PskGeneration::one);
  EXPECT_TRUE(equal(enrolled->psk.expose(), psk.expose()));
}

TEST_F(Files, enrolment_replaces_the_invite_by_the_psk) {
  ASSERT_TRUE(save_invite(paths, invite()));
  ASSERT_TRUE(save_enrolled(paths, wire::ClientPsk::random(entropy)));
  EXPECT_FALSE(fs::exists(paths.invite()));
  EXPECT_EQ(mode(paths.psk()), 0600u);
}

TEST_F(Files, an_enrolment_that_cannot_be_stored_leaves_the_invite) {
  ASSERT_TRUE(save_invite(paths, invite()));
  // A file cannot replace a directory, whoever asks.
  ASSERT_TRUE(fs::create_directory(paths.psk()));
  EXPECT_FALSE(save_enrolled(paths, wire::ClientPsk::random(entropy)));
  EXPECT_TRUE(fs::exists(paths.invite()));
}

TEST_F(Files, a_directory_that_cannot_be_read_is_not_called_empty) {
  const fs::path loop = paths.config / "loop";
  fs::create_symlink(loop, loop);
  const Failure failure = nothing_here(find_paths(loop, {}));
  EXPECT_THAT(failure.message, StartsWith(loop.string() + " cannot be looked into: "));
  EXPECT_THAT(nothing_here(paths).message, HasSubstr("begin with"));
}

TEST_F(Files, settings_that_are_not_there_say_how_to_make_them) {
  const auto server = load_server_settings(paths);
  const auto client = load_client_settings(paths);
  ASSERT_FALSE(server || client);
  EXPECT_THAT(server.error().message, HasSubstr("karst init server"));
  EXPECT_THAT(client.error().message, HasSubstr("karst join"));
  EXPECT_EQ(server.error().exit_code, kExitUsage);
}

}  // namespace
