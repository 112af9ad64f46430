#include "session/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/file.h"
#include "core/paths.h"
#include "core/text.h"
#include "kernel/catalogue/parameter_values.h"

namespace tilescope {
namespace {

constexpr std::uintmax_t kMostBytes = 1U << 20;

std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

// "banks of transpose/tiled with PAD = 0, TILE = 32"
std::optional<GlossaryExample> example_of(std::string_view text) {
  const std::vector<std::string> sides = parts_of(text, " with ");
  const std::vector<std::string> place = parts_of(sides.front(), " of ");
  if (sides.size() > 2 || place.size() != 2 || place[0].empty() || place[1].empty()) {
    return std::nullopt;
  }
  GlossaryExample example{place[0], place[1], {}};
  if (sides.size() == 1) return example;
  auto parameters = parse_values(sides[1]);
  if (!parameters) return std::nullopt;
  example.parameters = *std::move(parameters);
  return example;
}

// Whether '*' in the pattern can stand for something that makes it the name.
bool fits(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  pattern.remove_prefix(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at) {
    if (fits(pattern, name.substr(at))) return true;
  }
  return false;
}

bool same_words(std::string_view a, std::string_view b) { return words_in(a) == words_in(b); }

// Reads line by line; what is open is the entry that the lines belong to.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Status take(std::string_view line) {
    ++line_;
    if (line.starts_with("## ")) return begin_entry(trimmed(line.substr(3)));
    if (line.starts_with("# ")) return begin_group(trimmed(line.substr(2)));
    const std::string_view words = trimmed(line);
    if (words.empty()) return ok_status();
    if (entries_.empty() || ended_) {
      return wrong("text outside an entry", "Begin an entry with '## Term'");
    }
    GlossaryEntry& entry = entries_.back();
    if (entry.definition.empty()) {
      const std::size_t colon = words.find(": ");
      if (colon != std::string_view::npos && is_field(words.substr(0, colon))) {
        return take_field(entry, words.substr(0, colon), trimmed(words.substr(colon + 1)));
      }
    } else {
      entry.definition += ' ';
    }
    entry.definition += words;
    return ok_status();
  }

  Result<std::vector<GlossaryEntry>> finish() && {
    if (Status status = end_entry(); !status) return std::move(status).error();
    if (entries_.empty()) return wrong("no entry", "Begin an entry with '## Term'");
    return std::move(entries_);
  }

 private:
  static bool is_field(std::string_view name) {
    return name == "Also" || name == "Unit" || name == "Counted" || name == "Metric" ||
           name == "Try" || name == "Lesson";
  }

  [[nodiscard]] Error wrong(std::string message, std::string remedy) const {
    return {ErrorCode::kUsage, std::move(message), std::move(remedy), {file_, line_}};
  }

  Status begin_group(std::string_view name) {
    if (Status status = end_entry(); !status) return status;
    group_ = name;
    ended_ = true;
    return ok_status();
  }

  Status begin_entry(std::string_view term) {
    if (Status status = end_entry(); !status) return status;
    if (group_.empty()) {
      return wrong("an entry before the first group", "Begin a group with '# Group'");
    }
    if (term.empty()) return wrong("an entry without a term", "Write '## Term'");
    for (const GlossaryEntry& entry : entries_) {
      if (same_words(entry.term, term)) {
        return wrong(fmt::format("'{}' is there twice", term), "Join the two entries");
      }
    }
    entries_.push_back({.group = group_, .term = std::string(term)});
    fields_.clear();
    ended_ = false;
    return ok_status();
  }

  Status end_entry() {
    if (entries_.empty() || ended_ || !entries_.back().definition.empty()) return ok_status();
    return wrong(fmt::format("'{}' has no definition", entries_.back().term),
                 "Write one to three sentences below its fields");
  }

  Status take_field(GlossaryEntry& entry, std::string_view name, std::string_view value) {
    if (value.empty()) {
      return wrong(fmt::format("'{}:' is empty", name), "Write a value, or remove the line");
    }
    if (std::ranges::find(fields_, name) != fields_.end()) {
      return wrong(fmt::format("'{}:' is there twice", name), "Join the two lines");
    }
    fields_.emplace_back(name);
    if (name == "Also") {
      entry.also = parts_of(value, ", ");
    } else if (name == "Metric") {
      entry.metrics = parts_of(value, ", ");
    } else if (name == "Unit") {
      entry.unit = value;
    } else if (name == "Counted") {
      entry.counted = value;
    } else if (name == "Lesson") {
      entry.lesson = value;
    } else {
      entry.example = example_of(value);
      if (!entry.example) {
        return wrong(fmt::format("'{}' is no view of a kernel", value),
                     "Write 'Try: VIEW of KERNEL with PARAMETER = VALUE'");
      }
    }
    return ok_status();
  }

  std::string file_;
  int line_ = 0;
  std::string group_;
  std::vector<std::string> fields_;  // that the open entry has
  bool ended_ = true;                // no entry is open
  std::vector<GlossaryEntry> entries_;
};

}  // namespace

std::string words_of(const GlossaryExample& example) {
  std::string words = fmt::format("{} of {}", example.view, example.kernel);
  for (const auto& [name, value] : example.parameters) {
    words += fmt::format("{}{} = {}", name == example.parameters.begin()->first ? " with " : ", ",
                         name, value);
  }
  return words;
}

SearchedText searched_text(const GlossaryEntry& entry) {
  std::string more = entry.definition + " " + entry.counted + " " + entry.group;
  for (const std::string& metric : entry.metrics) more += " " + metric;
  if (entry.example) more += " " + words_of(*entry.example);
  return {entry.term, entry.also, more};
}

std::string_view short_definition(const GlossaryEntry& entry) {
  const std::string_view all = entry.definition;
  const std::size_t end = all.find(". ");
  return end == std::string_view::npos ? all : all.substr(0, end + 1);
}

Result<Glossary> Glossary::read(std::string_view text, const std::string& file) {
  Reader reader(file);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (Status status = reader.take(text.substr(0, end)); !status) {
      return std::move(status).error();
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  auto entries = std::move(reader).finish();
  if (!entries) return std::move(entries).error();
  Glossary glossary;
  glossary.entries_ = *std::move(entries);
  return glossary;
}

Result<Glossary> Glossary::load(const std::filesystem::path& file) {
  const std::optional<std::string> text = read_file(file, kMostBytes);
  if (!text) {
    return Error{ErrorCode::kMachine,
                 "the glossary cannot be read",
                 "Install the program again, or set TILESCOPE_RESOURCES to its folder",
                 {file.string()}};
  }
  return read(*text, file.string());
}

Result<Glossary> Glossary::load_shipped() {
  return load(resource_directory() / "assets" / "glossary.md");
}

const GlossaryEntry* Glossary::find(std::string_view name) const {
  if (words_in(name).empty()) return nullptr;
  for (const GlossaryEntry& entry : entries_) {
    if (same_words(entry.term, name)) return &entry;
  }
  for (const GlossaryEntry& entry : entries_) {
    const auto is_it = [&](const std::string& other) { return same_words(other, name); };
    if (std::ranges::any_of(entry.also, is_it)) return &entry;
  }
  return of_metric(name);
}

const GlossaryEntry* Glossary::of_metric(std::string_view metric) const {
  const GlossaryEntry* best = nullptr;
  std::size_t most = 0;  // characters of the pattern that are no '*'
  for (const GlossaryEntry& entry : entries_) {
    for (const std::string& pattern : entry.metrics) {
      const auto length =
          pattern.size() - static_cast<std::size_t>(std::ranges::count(pattern, '*'));
      if (length > most && fits(pattern, metric)) {
        best = &entry;
        most = length;
      }
    }
  }
  return best;
}

std::vector<const GlossaryEntry*> Glossary::search(std::string_view words) const {
  const GlossaryEntry* exact = find(words);
  std::vector<std::pair<int, const GlossaryEntry*>> found;
  for (const GlossaryEntry& entry : entries_) {
    if (&entry == exact) continue;
    if (const int score = match_words(words, searched_text(entry)); score > 0) {
      found.emplace_back(score, &entry);
    }
  }
  std::ranges::stable_sort(found, std::greater{}, &std::pair<int, const GlossaryEntry*>::first);
  std::vector<const GlossaryEntry*> entries;
  if (exact != nullptr) entries.push_back(exact);
  for (const auto& [score, entry] : found) entries.push_back(entry);
  return entries;
}

}  // namespace tilescope
