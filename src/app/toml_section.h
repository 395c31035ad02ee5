#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <toml++/toml.hpp>
#include <vector>

namespace karst::app {

// Reads one section of a TOML file key by key. The first thing that is wrong is kept, with its
// place; everything after it gives defaults. Only something missing gives way, to a key or section
// that nobody asked for: that is most likely the missing one, misspelled. Included by
// settings_file.cpp only: toml++ is slow to compile.
class TomlSection {
 public:
  struct Problem {
    std::string text;
    toml::source_position at;
    bool missing = false;
  };

  // `table` may be null: an absent section. `problem` is shared by all sections of a file.
  TomlSection(const toml::table* table, std::string name, std::optional<Problem>& problem)
      : table_(table), name_(std::move(name)), problem_(problem) {}

  bool present() const { return table_ != nullptr; }
  bool has(std::string_view key) const { return table_ != nullptr && table_->contains(key); }

  std::optional<std::string> text(std::string_view key);
  std::vector<std::string> texts(std::string_view key);
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t min, std::int64_t max);
  // A number of bytes: an integer, or text such as "96 MiB".
  std::optional<std::uint64_t> bytes(std::string_view key, std::uint64_t min, std::uint64_t max);
  // One of the words; the index of it.
  std::optional<std::size_t> choice(std::string_view key,
                                    const std::vector<std::string_view>& words);
  // Either the word or an integer; the word gives nothing in `value`.
  struct WordOrInteger {
    std::optional<std::int64_t> value;
  };
  std::optional<WordOrInteger> word_or_integer(std::string_view key, std::string_view word,
                                               std::int64_t min, std::int64_t max);
  TomlSection table(std::string_view key);

  // Something is wrong with the value of `key`, or with its absence: then the place is that of the
  // section, and of a section that is absent the beginning of the file.
  void refuse(std::string_view key, const std::string& text);
  // Something is wrong with the section as a whole.
  void refuse_section(const std::string& text);
  // Call last: keys that were never asked for are errors.
  void finish();
  const std::vector<std::string>& known() const { return known_; }

 private:
  const toml::node* find(std::string_view key);
  void wrong_type(std::string_view key, std::string_view wanted);
  toml::source_position place() const;
  void note(Problem problem);

  const toml::table* table_;
  std::string name_;
  std::optional<Problem>& problem_;
  std::vector<std::string> known_;
};

// The candidate that is nearest to `word` by edits, if near enough to be meant.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace karst::app
