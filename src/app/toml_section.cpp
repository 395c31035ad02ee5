#include "app/toml_section.h"

#include <algorithm>

#include "app/byte_size.h"

namespace karst::app {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

const toml::node* TomlSection::find(std::string_view key) {
  known_.emplace_back(key);
  return table_ == nullptr ? nullptr : table_->get(key);
}

void TomlSection::refuse(std::string_view key, const std::string& text) {
  const toml::node* node = table_ == nullptr ? nullptr : table_->get(key);
  const std::string section = name_.empty() ? "" : "[" + name_ + "] ";
  note({section + std::string(key) + ": " + text, node != nullptr ? node->source().begin : place(),
        node == nullptr});
}

void TomlSection::refuse_section(const std::string& text) {
  note({"[" + name_ + "]: " + text, place(), table_ == nullptr});
}

toml::source_position TomlSection::place() const {
  return table_ != nullptr ? table_->source().begin : toml::source_position{};
}

void TomlSection::note(Problem problem) {
  if (problem_) return;
  // What has no place in the file is wrong with the file as a whole.
  if (!problem.at) problem.at = {1, 1};
  problem_ = std::move(problem);
}

void TomlSection::wrong_type(std::string_view key, std::string_view wanted) {
  refuse(key, "must be " + std::string(wanted));
}

std::optional<std::string> TomlSection::text(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_string()) {
    wrong_type(key, "a text in quotes");
    return std::nullopt;
  }
  return node->as_string()->get();
}

std::vector<std::string> TomlSection::texts(std::string_view key) {
  const toml::node* node = find(key);
  std::vector<std::string> out;
  if (node == nullptr) return out;
  const toml::array* array = node->as_array();
  if (array == nullptr) {
    wrong_type(key, "a list of texts, as in [\"one\", \"two\"]");
    return out;
  }
  for (const toml::node& item : *array) {
    if (!item.is_string()) {
      wrong_type(key, "a list of texts, as in [\"one\", \"two\"]");
      return {};
    }
    out.push_back(item.as_string()->get());
  }
  return out;
}

std::optional<std::int64_t> TomlSection::integer(std::string_view key, std::int64_t min,
                                                 std::int64_t max) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto range = std::to_string(min) + " to " + std::to_string(max);
  if (!node->is_integer()) {
    wrong_type(key, "a whole number from " + range);
    return std::nullopt;
  }
  const std::int64_t value = node->as_integer()->get();
  if (value < min || value > max) {
    refuse(key, "must be from " + range);
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint64_t> TomlSection::bytes(std::string_view key, std::uint64_t min,
                                                std::uint64_t max) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  std::optional<std::uint64_t> value;
  if (node->is_integer() && node->as_integer()->get() >= 0) {
    value = static_cast<std::uint64_t>(node->as_integer()->get());
  } else if (node->is_string()) {
    value = parse_byte_size(node->as_string()->get());
  }
  if (!value) {
    wrong_type(key, "a number of bytes, or text such as \"96 MiB\"");
  } else if (*value < min || *value > max) {
    refuse(key, "must be from " + std::to_string(min) + " to " + std::to_string(max) + " bytes");
    value.reset();
  }
  return value;
}

std::optional<std::size_t> TomlSection::choice(std::string_view key,
                                               const std::vector<std::string_view>& words) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  const auto found = std::ranges::find(words, std::string_view(*value));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string list;
  for (std::string_view word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  refuse(key, "must be one of " + list);
  return std::nullopt;
}

std::optional<TomlSection::WordOrInteger> TomlSection::word_or_integer(std::string_view key,
                                                                       std::string_view word,
                                                                       std::int64_t min,
                                                                       std::int64_t max) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (node->is_string() && node->as_string()->get() == word) return WordOrInteger{};
  if (node->is_integer()) {
    const std::int64_t value = node->as_integer()->get();
    if (value >= min && value <= max) return WordOrInteger{value};
  }
  refuse(key, "must be \"" + std::string(word) + "\" or a whole number from " +
                  std::to_string(min) + " to " + std::to_string(max));
  return std::nullopt;
}

TomlSection TomlSection::table(std::string_view key) {
  const toml::node* node = find(key);
  if (node != nullptr && !node->is_table()) wrong_type(key, "a table");
  return {node == nullptr ? nullptr : node->as_table(),
          name_.empty() ? std::string(key) : name_ + "." + std::string(key), problem_};
}

void TomlSection::finish() {
  if (table_ == nullptr || (problem_ && !problem_->missing)) return;
  for (const auto& [key, node] : *table_) {
    const std::string_view name = key.str();
    if (std::ranges::find(known_, name) != known_.end()) continue;
    std::string text = name_.empty() ? "there is no section [" + std::string(name) + "]"
                                     : "[" + name_ + "] has no key \"" + std::string(name) + "\"";
    if (const auto near = nearest(name, known_)) text += "; did you mean \"" + *near + "\"?";
    problem_.reset();
    return note({text, key.source().begin});
  }
}

}  // namespace karst::app
