#include "app/toml_section.h"

#include <gtest/gtest.h>

using namespace karst::app;

namespace {

// A file's only section [s], with what was wrong with it.
struct File {
  explicit File(std::string_view body) : table(toml::parse("[s]\n" + std::string(body))) {}
  TomlSection section() { return {table["s"].as_table(), "s", problem}; }
  std::string found() const {
    return problem ? std::to_string(problem->at.line) + ":" + std::to_string(problem->at.column) +
                         ": " + problem->text
                   : "";
  }

  toml::table table;
  std::optional<TomlSection::Problem> problem;
};

TEST(TomlSection, an_absent_key_is_nothing_and_no_problem) {
  File file("");
  TomlSection section = file.section();
  EXPECT_EQ(section.text("a"), std::nullopt);
  EXPECT_TRUE(section.texts("a").empty());
  EXPECT_EQ(section.integer("a", 1, 2), std::nullopt);
  EXPECT_EQ(section.bytes("a", 1, 2), std::nullopt);
  EXPECT_EQ(section.choice("a", {"x"}), std::nullopt);
  EXPECT_FALSE(section.word_or_integer("a", "auto", 1, 2));
  EXPECT_FALSE(section.table("a").present());
  section.finish();
  EXPECT_EQ(file.found(), "");
}

TEST(TomlSection, integers_are_accepted_between_their_limits_inclusive) {
  for (const auto& [value, good] :
       {std::pair(1, false), {2, true}, {3, true}, {9, true}, {10, true}, {11, false}}) {
    File file("a = " + std::to_string(value));
    EXPECT_EQ(file.section().integer("a", 2, 10).has_value(), good) << value;
    EXPECT_EQ(file.found(), good ? "" : "2:5: [s] a: must be from 2 to 10");
    File either("a = " + std::to_string(value));
    EXPECT_EQ(either.section().word_or_integer("a", "auto", 2, 10).has_value(), good) << value;
  }
}

TEST(TomlSection, sizes_are_accepted_as_numbers_and_as_text_between_their_limits_inclusive) {
  const std::pair<const char*, bool> cases[] = {
      {"1023", false},     {"1024", true},  {"\"1 KiB\"", true},  {"\"4 KiB\"", true},
      {"4096", true},      {"4097", false}, {"\"5 KiB\"", false}, {"-1", false},
      {"\"many\"", false}, {"1.5", false}};
  for (const auto& [value, good] : cases) {
    File file(std::string("a = ") + value);
    EXPECT_EQ(file.section().bytes("a", 1024, 4096).has_value(), good) << value;
    EXPECT_EQ(file.found().empty(), good) << value;
  }
}

TEST(TomlSection, only_the_first_problem_is_kept) {
  File file("a = 1\nb = 2");
  TomlSection section = file.section();
  section.text("b");
  section.text("a");
  section.finish();
  EXPECT_EQ(file.found(), "3:5: [s] b: must be a text in quotes");
}

TEST(TomlSection, a_list_with_one_wrong_item_is_refused_as_a_whole) {
  File file("a = [\"x\", 1]");
  EXPECT_TRUE(file.section().texts("a").empty());
  EXPECT_EQ(file.found(), "2:5: [s] a: must be a list of texts, as in [\"one\", \"two\"]");
}

TEST(TomlSection, a_key_that_nobody_asked_for_is_refused_with_the_nearest_that_was) {
  File file("listne = []\n");
  TomlSection section = file.section();
  section.texts("listen");
  section.texts("addresses");
  section.finish();
  EXPECT_EQ(file.found(), "2:1: [s] has no key \"listne\"; did you mean \"listen\"?");
}

TEST(TomlSection, a_misspelled_key_is_reported_rather_than_that_its_right_name_is_missing) {
  File file("listne = []\n");
  TomlSection section = file.section();
  section.texts("listen");
  section.refuse("listen", "must be there");
  section.finish();
  EXPECT_EQ(file.found(), "2:1: [s] has no key \"listne\"; did you mean \"listen\"?");
}

TEST(TomlSection, a_misspelled_section_is_reported_rather_than_that_its_right_name_is_missing) {
  File file("");
  TomlSection root(&file.table, "", file.problem);
  root.table("sections").refuse_section("this section is missing");
  root.finish();
  EXPECT_EQ(file.found(), "1:2: there is no section [s]");
}

TEST(TomlSection, a_wrong_value_is_reported_before_a_key_that_nobody_asked_for) {
  File file("a = 1\nlistne = []\n");
  TomlSection section = file.section();
  section.text("a");
  section.finish();
  EXPECT_EQ(file.found(), "2:5: [s] a: must be a text in quotes");
}

TEST(TomlSection, a_key_that_is_like_no_other_gets_no_suggestion) {
  File file("xyzzy = 1\n");
  TomlSection section = file.section();
  section.texts("listen");
  section.finish();
  EXPECT_EQ(file.found(), "2:1: [s] has no key \"xyzzy\"");
}

TEST(TomlSection, what_is_missing_is_reported_at_its_section_or_at_the_beginning) {
  File file("");
  file.section().refuse("a", "must be there");
  EXPECT_EQ(file.found(), "1:1: [s] a: must be there");
  std::optional<TomlSection::Problem> problem;
  TomlSection(nullptr, "t", problem).refuse_section("this section is missing");
  EXPECT_EQ(problem->text, "[t]: this section is missing");
  EXPECT_EQ(problem->at.line, 1u);
}

TEST(Nearest, the_word_with_the_fewest_edits_wins_if_it_can_be_meant) {
  const std::vector<std::string> words = {"level", "format", "listen", "link_window",
                                          "stream_window"};
  const std::pair<const char*, const char*> cases[] = {{"levl", "level"},
                                                       {"leevl", "level"},
                                                       {"fromat", "format"},
                                                       {"window", nullptr},
                                                       {"link-window", "link_window"},
                                                       {"steam_windows", "stream_window"},
                                                       {"", nullptr},
                                                       {"completely_else", nullptr}};
  for (const auto& [word, expected] : cases) {
    const auto found = nearest(word, words);
    EXPECT_EQ(found.value_or(""), expected == nullptr ? "" : expected) << word;
  }
}

}  // namespace
